// Requests to the server, authorized by the token in the page's address.
const token = new URLSearchParams(location.search).get('token') ?? '';
// Removes the token from the address bar, where it could be read, and from the history.
history.replaceState(null, '', location.pathname);

/** An address with the token, for links that the browser opens. */
export function addressOf(path) {
  return `${path}?token=${encodeURIComponent(token)}`;
}

async function request(method, path, body, signal) {
  const answer = await fetch(path, {
    method, body, signal, cache: 'no-store', headers: {Authorization: `Bearer ${token}`},
  });
  if (!answer.ok) throw new Error((await answer.text()).trim() || `${path}: ${answer.status}`);
  return answer;
}

export async function get(path) {
  return (await request('GET', path)).json();
}

export async function post(path, value) {
  return (await request('POST', path, JSON.stringify(value))).json();
}

/** Asks a question; passes each line of the answer to `tell` until `signal` is aborted. */
export async function ask(question, tell, signal) {
  const answer = await request('POST', '/forecast', JSON.stringify(question), signal);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const {done, value} = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!signal.aborted) tell(JSON.parse(line));
    }
  }
}

// How the page asks its server: with the token of its own address.
const token = new URLSearchParams(location.search).get('token') ?? '';
// Nobody reads it over a shoulder, or in a picture of the window; Back leads to no page with it.
history.replaceState(null, '', location.pathname);

/** The address of something that a browser opens by itself. */
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

/** Asks a question; `tell` is called with each line of its answer, until `signal` says otherwise. */
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

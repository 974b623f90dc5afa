// The tooltip of the mark under the pointer.
const kDistance = 14;  // pixels from the pointer

let box = null;

function boxOf() {
  if (box) return box;
  box = document.createElement('div');
  box.id = 'tooltip';
  box.setAttribute('role', 'tooltip');
  document.body.append(box);
  return box;
}

export function hideTooltip() {
  if (box) box.hidden = true;
}

/** `value`: an object from title to text. */
export function showTooltip(event, value) {
  const shown = boxOf();
  const list = document.createElement('dl');
  for (const [title, text] of Object.entries(value)) {
    const name = document.createElement('dt');
    const said = document.createElement('dd');
    name.textContent = title;
    said.textContent = text;
    list.append(name, said);
  }
  shown.replaceChildren(list);
  shown.hidden = false;
  const {width, height} = shown.getBoundingClientRect();
  const right = event.clientX + kDistance + width < innerWidth;
  const below = event.clientY + kDistance + height < innerHeight;
  const left = right ? event.clientX + kDistance : event.clientX - kDistance - width;
  const top = below ? event.clientY + kDistance : event.clientY - kDistance - height;
  shown.style.left = `${Math.max(4, left)}px`;
  shown.style.top = `${Math.max(4, top)}px`;
}

// Requests and renders a list; after a click, one entry with a form. It caches responses and receives new names.
const main = document.querySelector('main');
const known = new Map();

async function ask(path) {
  if (!known.has(path)) known.set(path, await (await fetch(path)).json());
  return known.get(path);
}

function make(tag, ...children) {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}

function link({ id, name }) {
  const made = make('a', name);
  made.href = `/applications/${id}`;
  made.onclick = (event) => {
    event.preventDefault();
    history.pushState(null, '', made.href);
    return show();
  };
  return made;
}

async function showAll() {
  const applications = await ask('/applications');
  const section = make('section', make('ul', ...applications.map((application) => make('li', link(application)))));
  section.ariaLabel = 'Applications';
  main.replaceChildren(section);
}

async function showOne(path) {
  const { name } = await ask(path);
  const field = make('input');
  field.value = name;
  main.replaceChildren(make('h1', name), make('form', field));
}

function show() {
  return location.pathname === '/' ? showAll() : showOne(location.pathname);
}

window.onpopstate = show;
await show();
new WebSocket(`ws://${location.host}`).onmessage = ({ data }) => {
  const { id, name } = JSON.parse(data);
  document.querySelector(`a[href="/applications/${id}"]`).textContent = name;
};

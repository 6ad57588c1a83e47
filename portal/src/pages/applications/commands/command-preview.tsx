import { type Body, CHAT_INPUT, type Option } from './command-body.js';
import { isFolder } from './option-tree.js';

/** Approximates how clients show the command. */
export function Preview({ body }: { body: Body }) {
  return (
    <figure className="command-preview">
      <figcaption className="soft small">Preview</figcaption>
      {body.type === CHAT_INPUT ? <Slash body={body} /> : <Entry body={body} />}
    </figure>
  );
}

function Slash({ body: { name, description, options } }: { body: Body }) {
  return (
    <ul>
      {linesOf(name === '' ? '…' : name, description, options).map(({ path, text, plain }) => (
        <li key={path}>
          <b dir="auto">/{path}</b>{' '}
          {plain.map((option) => (
            <span className="slot" key={option.name} data-required={option.required ?? false}>
              {option.name}
            </span>
          ))}
          <span className="soft small" dir="auto">
            {text}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface Line {
  path: string;
  text: string;
  plain: Option[];
}

/** Returns one line for the command, or one for each subcommand. */
function linesOf(path: string, text: string, options: readonly Option[]): Line[] {
  const folders = options.filter(isFolder);
  if (folders.length === 0) return [{ path, text, plain: [...options] }];
  return folders.flatMap((folder) => linesOf(`${path} ${folder.name}`, folder.description, folder.options ?? []));
}

function Entry({ body: { type, name } }: { body: Body }) {
  return (
    <ul>
      <li>
        <span className="soft small">{type === 2 ? 'User' : 'Message'} menu › Apps › </span>
        <b dir="auto">{name === '' ? '…' : name}</b>
      </li>
    </ul>
  );
}

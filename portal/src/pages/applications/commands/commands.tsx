import { Link } from '@tanstack/react-router';
import type { CommandRowFragment, CommandType } from '../../../gql/types.js';
import { Awaited } from '../../../ui/listing.js';
import { useTitle } from '../../../ui/page.js';
import { useApplication } from '../application.js';
import { useReason } from '../reasons.js';
import { Installed, ScopeSelect, searchOf, useCommands, useScopeText, useServer } from './command-scope.js';
import './commands.css';

export function Commands() {
  const application = useApplication();
  useTitle('Commands', application.name);
  const reason = useReason('MANAGE_COMMANDS');
  return (
    <section className="card" aria-labelledby="commands">
      <div className="heading">
        <h2 id="commands">Commands</h2>
        <Ways isOff={reason !== undefined} />
      </div>
      {reason !== undefined && <p className="hint">{reason}</p>}
      <ScopeSelect />
      <Installed>
        <List />
      </Installed>
    </section>
  );
}

/** Links cannot be disabled, so buttons replace them. */
function Ways({ isOff }: { isOff: boolean }) {
  const { id: applicationId } = useApplication();
  const search = searchOf(useServer());
  if (isOff)
    return (
      <div className="buttons">
        <button type="button" className="plain" disabled>
          Overwrite all
        </button>
        <button type="button" disabled>
          New command
        </button>
      </div>
    );
  return (
    <div className="buttons">
      <Link
        className="button plain"
        to="/applications/$applicationId/commands/overwrite"
        params={{ applicationId }}
        search={search}
      >
        Overwrite all
      </Link>
      <Link
        className="button"
        to="/applications/$applicationId/commands/new"
        params={{ applicationId }}
        search={search}
      >
        New command
      </Link>
    </div>
  );
}

function List() {
  const { commands, ...answer } = useCommands(useServer());
  if (!commands) return <Awaited answer={answer} />;
  if (commands.length === 0) return <Empty />;
  return (
    <ul className="commands" aria-label="Commands">
      {commands.map((command) => (
        <Row key={command.id} command={command} />
      ))}
    </ul>
  );
}

const TYPES: Record<CommandType, string> = {
  CHAT_INPUT: 'Slash command',
  USER: 'User command',
  MESSAGE: 'Message command',
};

function Row({ command }: { command: CommandRowFragment }) {
  const { id: applicationId } = useApplication();
  const server = useServer();
  const scope = useScopeText();
  const { id, type, name, description, reserved } = command;
  return (
    <li>
      <p>
        <Link
          to="/applications/$applicationId/commands/$commandId"
          params={{ applicationId, commandId: id }}
          search={searchOf(server)}
        >
          <bdi>{type === 'CHAT_INPUT' ? `/${name}` : name}</bdi>
        </Link>
        {reserved && <span className="badge bad">reserved</span>}
      </p>
      {description !== '' && (
        <p>
          <span dir="auto">{description}</span>
        </p>
      )}
      <p className="soft small">
        {TYPES[type]} · {scope}
      </p>
      {reserved && (
        <p className="small">
          A built-in command now has this name. This command is hidden from the picker and can't be run. Rename it to
          use it again.
        </p>
      )}
    </li>
  );
}

function Empty() {
  const { id } = useApplication();
  const server = useServer();
  const place = server === null ? 'commands' : `guilds/${server}/commands`;
  const address = `${window.location.origin}/api/v10/applications/${id}/${place}`;
  const lines = [
    `curl -X POST '${address}' \\`,
    `  -H "authorization: Bot $BOT_TOKEN" \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '{"type":1,"name":"ping","description":"Replies with pong"}'`,
  ];
  return (
    <div className="hint">
      <p>
        No commands yet. Users type slash commands, and choose user and message commands from a menu. Create a command
        above, or register one with the API:
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need focus to scroll */}
      <pre tabIndex={0}>{lines.join('\n')}</pre>
    </div>
  );
}

import type { ApplicationDescription, ConnectionFault, WorldDescription } from '../../src/sandbox/protocol.js';
import { Copyable, CopyButton } from '../src/ui/copy.js';
import { Refusal, useAction } from './action.js';

export function Bots({ world }: { world: WorldDescription }) {
  return (
    <section className="card" aria-labelledby="bots">
      <h2 id="bots">Bots</h2>
      <Copyable label="API address" text={world.api} />
      <ul className="list">
        {world.applications.map((application) => (
          <Bot key={application.id} worldId={world.id} application={application} />
        ))}
      </ul>
      {world.applications.length === 0 && <p>This world has no application.</p>}
    </section>
  );
}

const DISTURBANCES: [name: string, fault: ConnectionFault][] = [
  ['Close connection', { type: 'close', code: 4000 }],
  ['Send reconnect', { type: 'reconnect' }],
  ['Invalidate session', { type: 'invalidSession', resumable: false }],
];

function Bot({ worldId, application }: { worldId: string; application: ApplicationDescription }) {
  const { id, name, token, isConnected } = application;
  const { run, isBusy, problem } = useAction();
  const disturb = (body: ConnectionFault) =>
    run((control) => control.request('POST', `/worlds/${worldId}/applications/${id}/disturbances`, { body }));
  return (
    <li>
      <div>
        <div className="lead">
          <bdi>{name}</bdi>
          <span className={isConnected ? 'badge good' : 'badge'}>{isConnected ? 'connected' : 'not connected'}</span>
        </div>
        <p className="small soft">
          Application ID <code>{id}</code>
        </p>
        <p className="small soft">
          Token <code>{token.slice(0, 6)}…</code> <CopyButton text={token} what={`token of ${name}`} />
        </p>
        {isConnected && (
          <div className="buttons sandbox-disturbances">
            {DISTURBANCES.map(([what, fault]) => (
              <button
                key={what}
                type="button"
                className="plain small"
                disabled={isBusy}
                aria-label={`${what} of ${name}`}
                onClick={() => disturb(fault)}
              >
                {what}
              </button>
            ))}
          </div>
        )}
        <Refusal problem={problem} />
      </div>
    </li>
  );
}

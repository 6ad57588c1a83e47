import { useMemo, useState } from 'react';
import { ActionsContext, Refusal, useAction } from './action.js';
import { Bots } from './bots.js';
import { Clock } from './clock.js';
import { Control } from './control.js';
import { Faults } from './faults.js';
import { People } from './people.js';
import { useSandbox } from './sandbox-state.js';
import { TranscriptLog } from './transcript-log.js';

/** @param token null if the address has none */
export function Page({ token }: { token: string | null }) {
  return (
    <>
      <header className="bar">
        <a className="brand" href="/portal">
          Causeway
        </a>
        <span className="soft">Sandbox</span>
      </header>
      {token === null ? <NoToken /> : <Controls token={token} />}
    </>
  );
}

function NoToken() {
  return (
    <main className="page narrow">
      <div className="card">
        <h1>Open this page with its token</h1>
        <p>
          <code>causeway sandbox</code> prints an address that ends with <code>#token=…</code>. Open that one.
        </p>
      </div>
    </main>
  );
}

function Controls({ token }: { token: string }) {
  const control = useMemo(() => new Control(token), [token]);
  const [chosen, choose] = useState<string | null>(null);
  const { state, problem, refresh } = useSandbox(control, chosen);
  const actions = useMemo(() => ({ control, refresh }), [control, refresh]);
  const world = state?.world ?? null;
  return (
    <main className="sandbox">
      <Refusal problem={problem} />
      {state && (
        <ActionsContext value={actions}>
          <div className="sandbox-controls">
            {world ? (
              <>
                <div className="heading">
                  <h1>{world.name}</h1>
                  <Reset worldId={world.id} />
                </div>
                {state.worlds.length > 1 && (
                  <div className="field">
                    <label className="label" htmlFor="world">
                      World
                    </label>
                    <select id="world" value={world.id} onChange={({ target }) => choose(target.value)}>
                      {state.worlds.map(({ id, name }) => (
                        <option key={id} value={id}>
                          {name}
                        </option>
                      ))}
                    </select>
                  </div>
                )}
                <People world={world} />
                <Bots world={world} />
              </>
            ) : (
              <div className="card">
                <h1>No world yet</h1>
                <p>This page shows a world as soon as a test creates one.</p>
              </div>
            )}
            <Clock clock={state.clock} worlds={state.worlds.length} />
            {world && <Faults key={world.id} worldId={world.id} faults={state.faults} />}
          </div>
          {world && <TranscriptLog key={world.id} control={control} worldId={world.id} />}
        </ActionsContext>
      )}
    </main>
  );
}

function Reset({ worldId }: { worldId: string }) {
  const { run, isBusy, problem } = useAction();
  return (
    <div>
      <button
        type="button"
        className="plain small"
        disabled={isBusy}
        title="Returns to the seed. Bots stay connected."
        onClick={() => run((control) => control.request('POST', `/worlds/${worldId}/reset`))}
      >
        Reset world
      </button>
      <Refusal problem={problem} />
    </div>
  );
}

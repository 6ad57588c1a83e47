import type { SessionDescription, WorldDescription } from '../../src/sandbox/protocol.js';
import { Refusal, useAction } from './action.js';

export function People({ world }: { world: WorldDescription }) {
  const { run, isBusy, problem } = useAction();
  const play = (personId: string) => {
    // Before the request: a browser opens a tab only during the click. Each person takes over the same tab, because a
    // browser has one session.
    const tab = window.open('', 'causeway-portal');
    return run(async (control) => {
      const path = `/worlds/${world.id}/people/${personId}/sessions`;
      const { portal } = await control.request<SessionDescription>('POST', path);
      if (tab) tab.location.href = portal;
      else location.href = portal;
    });
  };
  return (
    <section className="card" aria-labelledby="people">
      <h2 id="people">People</h2>
      <ul className="sandbox-people">
        {world.people.map(({ id, name }) => (
          <li key={id}>
            <button type="button" disabled={isBusy} onClick={() => play(id)}>
              Play as {name}
            </button>
          </li>
        ))}
      </ul>
      <Refusal problem={problem} />
      <p className="soft small">
        Opens a channel in the portal, signed in as this person. There you can write messages and run commands. Use a
        private window to play a second person at the same time.
      </p>
    </section>
  );
}

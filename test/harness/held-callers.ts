import { topics } from '../../src/infra/bus.js';
import type { TestServer } from './server.js';

/** Whoever shows a session or a bot's token, from now on until all are let go: it is not told yet whether it names anybody. */
export interface HeldCallers {
  /** How many credentials are looked at. */
  readonly count: number;
  letGo(): void;
}

/** Holds callers where their credential is looked up. */
export function holdCallers({ app: { known, bus } }: TestServer): HeldCallers {
  const { session, application } = known;
  let letGo: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let count = 0;
  const held =
    <Key>(look: (key: Key) => Promise<boolean>) =>
    (key: Key) => {
      count += 1;
      return gate.then(() => look(key));
    };
  known.session = held(session);
  known.application = held(application);
  // Who has called before is remembered.
  bus.publish(topics.sessions, { type: 'BUS_RECONNECTED' });
  return {
    get count() {
      return count;
    },
    letGo() {
      Object.assign(known, { session, application });
      letGo();
    },
  };
}

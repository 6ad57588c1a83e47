import { topics } from '../../src/infra/streams/topics.js';
import type { TestServer } from './server.js';

/** Delays the check of session and bot tokens until all are released. */
export interface HeldCallers {
  readonly count: number;
  letGo(): void;
}

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
  // Drops the cached callers.
  bus.lose(topics.sessions);
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

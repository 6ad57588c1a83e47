import type { Client } from 'discord.js';
import { Events } from 'discord.js';
import type { Loose } from '../../harness/graphql.js';

export interface Dispatch {
  type: string;
  /** JSON of `d`, before the library changes it. */
  text: string;
  data: Loose;
}

/** Time limit for an expected dispatch, in milliseconds. */
const PATIENCE_MS = 20_000;

export class Dispatches {
  readonly all: Dispatch[] = [];
  #wake: () => void = () => {};

  constructor(client: Client) {
    client.on(Events.Raw, ({ t, d }: { t: string; d: unknown }) => {
      const text = JSON.stringify(d);
      this.all.push({ type: t, text, data: JSON.parse(text) });
      this.#wake();
    });
  }

  /** The index of the first wanted dispatch at or after `from`, once the library has processed it. */
  async find(isWanted: (dispatch: Dispatch) => boolean, from = 0): Promise<number> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (let at = from; ; at += 1) {
      while (at >= this.all.length) await this.#more(giveUpAt - performance.now());
      const dispatch = this.all[at];
      if (!dispatch || !isWanted(dispatch)) continue;
      // The library processes a dispatch in the same turn in which it emits it.
      await new Promise(setImmediate);
      return at;
    }
  }

  async #more(ms: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('what was waited for did not come')), ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

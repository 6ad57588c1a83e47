import type { CallContext } from '../domain/call.js';

/** Longest wait of one request, in milliseconds. */
export const LONGEST_WAIT_MS = 60_000;

/**
 * Waits until `look` finds something. It looks at once, and after each event of the topics, so that nothing that
 * happens in between is missed.
 * @param withinMs in real time
 * @returns null when the time is over
 */
export async function until<Found>(
  { bus }: Pick<CallContext, 'bus'>,
  topics: readonly string[],
  withinMs: number,
  look: () => Promise<Found | null>,
): Promise<Found | null> {
  const changes = new Changes();
  const subscriptions = topics.map((topic) => bus.subscribe(topic, () => changes.note()));
  const timer = setTimeout(() => changes.end(), withinMs);
  try {
    await Promise.all(subscriptions.map(({ ready }) => ready));
    for (;;) {
      const seen = changes.count;
      const found = await look();
      if (found !== null) return found;
      if (!(await changes.after(seen))) return null;
    }
  } finally {
    clearTimeout(timer);
    for (const subscription of subscriptions) subscription.close();
  }
}

class Changes {
  count = 0;
  #isOver = false;
  #wake: () => void = () => {};

  note(): void {
    this.count += 1;
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** False once the time is over. */
  async after(seen: number): Promise<boolean> {
    while (this.count === seen && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return !this.#isOver;
  }
}

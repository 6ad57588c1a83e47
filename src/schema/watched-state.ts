import { requirePerson } from '../domain/call.js';
import { DomainError } from '../domain/errors.js';
import { BUS_RECONNECTED, type Bus, type BusMessage, type BusSubscription, topics } from '../infra/bus.js';
import { type GraphqlContext, renewContext } from './context.js';

/** Something whose state a subscription shows after each change. */
export interface Watched<State> {
  /** Reads the state, checking anew whether the caller may see it. What it throws ends the subscription. */
  read(context: GraphqlContext): Promise<State>;
  /** The topics under which changes of the state are published, and of who may see it. */
  topicsOf(state: State): string[];
}

/** What makes a watched state be read anew; other messages of the same topics do not. */
const CHANGES = new Set(['APPLICATION_UPDATED', 'TEAM_UPDATED', 'PORTAL_HOME_UPDATED']);

/**
 * A state as it is after each change, for as long as the caller is signed in and may see it. The present state is not
 * among the values: who connects again asks for it once the subscription stands. A change is a mark, not an entry of a
 * queue: however many come while a slow reader is busy, the next value is the state after all of them.
 * @throws what `read` throws
 */
export async function watchState<State>(
  context: GraphqlContext,
  watched: Watched<State>,
): Promise<AsyncIterableIterator<State>> {
  const stream = new StateStream(context, watched);
  await stream.open();
  return stream;
}

class StateStream<State> implements AsyncIterableIterator<State> {
  readonly #listening: Listening;
  readonly #userId: string;
  #isDirty = false;
  #mayBeSignedOut = false;
  #isOver = false;
  #wake: () => void = () => {};

  constructor(
    private readonly context: GraphqlContext,
    private readonly watched: Watched<State>,
  ) {
    this.#userId = String(requirePerson(context.call).user.id);
    this.#listening = new Listening(context.app.bus, (message) => this.#onMessage(message));
  }

  /** Checks that the caller may see the state, and hears its changes from then on. */
  async open(): Promise<void> {
    this.context.streams.add(this);
    try {
      await this.#read();
    } catch (error) {
      this.end();
      throw error;
    }
  }

  async next(): Promise<IteratorResult<State>> {
    try {
      const state = await this.#nextState();
      if (!this.#isOver && state !== undefined) return { value: state, done: false };
    } catch (error) {
      this.end();
      throw error;
    }
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<State>> {
    this.end();
    return { value: undefined, done: true };
  }

  end(): void {
    this.#isOver = true;
    this.context.streams.delete(this);
    this.#listening.close();
    this.#wake();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #nextState(): Promise<State | undefined> {
    while (!this.#isOver) {
      if (this.#mayBeSignedOut) await this.#requireSession();
      if (this.#isDirty) {
        this.#isDirty = false;
        return this.#read();
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return undefined;
  }

  /** The state, read while every topic that its changes come under is listened to. */
  async #read(): Promise<State> {
    for (;;) {
      renewContext(this.context);
      const state = await this.watched.read(this.context);
      const isComplete = await this.#listening.to([topics.sessions, ...this.watched.topicsOf(state)]);
      if (isComplete || this.#isOver) return state;
    }
  }

  async #requireSession(): Promise<void> {
    this.#mayBeSignedOut = false;
    if (!(await this.context.isStillSignedIn())) throw new DomainError('UNAUTHENTICATED', 'You have signed out.');
  }

  #onMessage({ type, userId }: BusMessage): void {
    if (CHANGES.has(type)) this.#isDirty = true;
    else if (type === BUS_RECONNECTED) this.#isDirty = this.#mayBeSignedOut = true;
    else if (type === 'SESSION_ENDED' && userId === this.#userId) this.#mayBeSignedOut = true;
    else return;
    this.#wake();
  }
}

/** The topics a stream hears. */
class Listening {
  readonly #open = new Map<string, BusSubscription>();
  #isClosed = false;

  constructor(
    private readonly bus: Bus,
    private readonly hear: (message: BusMessage) => void,
  ) {}

  /** Hears these topics and no others from now on. @returns whether it was hearing all of them before */
  async to(wanted: string[]): Promise<boolean> {
    if (this.#isClosed) return true;
    for (const [topic, subscription] of this.#open) {
      if (wanted.includes(topic)) continue;
      this.#open.delete(topic);
      subscription.close();
    }
    const added = wanted.filter((topic) => !this.#open.has(topic));
    for (const topic of added) this.#open.set(topic, this.bus.subscribe(topic, this.hear));
    await Promise.all(added.map((topic) => this.#open.get(topic)?.ready));
    return added.length === 0;
  }

  close(): void {
    this.#isClosed = true;
    for (const subscription of this.#open.values()) subscription.close();
    this.#open.clear();
  }
}

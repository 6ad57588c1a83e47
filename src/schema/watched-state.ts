import type { BusMessage, EventBus, Heard } from '../domain/bus-message.js';
import { requirePerson } from '../domain/call.js';
import { CACHE_MS } from '../infra/caching/subscribed-cache.js';
import type { Clock } from '../infra/clock.js';
import type { BusSubscription } from '../infra/processes/bus.js';
import { STREAM_GAP, type SubscribeOptions } from '../infra/streams/stream.js';
import { topics } from '../infra/streams/topics.js';
import { type GraphqlContext, renewContext } from './context.js';
import { mayEndSession, requireSession } from './stream-sessions.js';
import type { Stream } from './streams.js';

interface InitialArgs {
  initial?: boolean | null | undefined;
}

export interface Watched<State> {
  /** Such as `team:1`. One user's streams of the same key share the state. */
  key: string;
  /** Checks access again. An error ends the subscription. */
  read(context: GraphqlContext): Promise<State>;
  /** Topics of changes to the state and to access. */
  topicsOf(state: State): string[];
  /** Default: events that invalidate portal pages. */
  isChange?(message: BusMessage): boolean;
  /** See `SubscribeOptions`. */
  accessOnly?: boolean;
}

/**
 * Streams a state after each change, while the caller has access. `initial` sends the current state first. Changes are
 * not queued: a slow
 * reader's next value is the state after all of them.
 * @throws what `read` throws
 */
export async function watchState<State>(
  context: GraphqlContext,
  watched: Watched<State>,
  { initial }: InitialArgs = {},
): Promise<AsyncIterableIterator<State>> {
  const stream = new StateStream(context, watched, initial ?? false);
  await stream.open();
  return stream;
}

class StateStream<State> implements AsyncIterableIterator<State>, Stream {
  readonly #sessions: Listening;
  readonly #userId: string;
  readonly #shared: SharedState<State>;
  #seen = 0;
  #mayBeSignedOut = false;
  #isOver = false;
  #wake: () => void = () => {};

  constructor(
    private readonly context: GraphqlContext,
    watched: Watched<State>,
    private readonly isInitial: boolean,
  ) {
    this.#userId = String(requirePerson(context.call).user.id);
    this.#sessions = new Listening(context.app.bus, (message) => this.#onSessionMessage(message));
    this.#shared = sharedState(context, this.#userId, watched);
  }

  async open(): Promise<void> {
    try {
      this.context.streams.add(this, this.#userId, this.context.gone);
      this.#shared.join(this);
      this.#seen = this.#shared.version - (this.isInitial ? 1 : 0);
      renewContext(this.context);
      await this.#shared.readAnew(this.context);
      await this.#sessions.to([topics.sessions]);
    } catch (error) {
      this.end();
      throw error;
    }
  }

  async next(): Promise<IteratorResult<State>> {
    this.context.turn.end();
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
    this.context.turn.close();
    this.context.streams.delete(this);
    this.#sessions.close();
    this.#shared.leave(this);
    this.wake();
  }

  check(): void {
    this.#mayBeSignedOut = true;
    this.wake();
  }

  wake(): void {
    this.#wake();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #nextState(): Promise<State | undefined> {
    while (!this.#isOver) {
      if (this.#mayBeSignedOut) await this.#checkSession();
      else if (this.#seen < this.#shared.version) return this.#readInTurn();
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
    return undefined;
  }

  /** Waits for the user's turn, and then reads the state with all changes up to that moment. */
  async #readInTurn(): Promise<State | undefined> {
    this.context.turn.begin(await this.context.streams.turn(this.#userId));
    if (this.#isOver) return undefined;
    this.#seen = this.#shared.version;
    renewContext(this.context);
    return this.#shared.read(this.context);
  }

  #checkSession(): Promise<void> {
    this.#mayBeSignedOut = false;
    return requireSession(this.context);
  }

  #onSessionMessage(message: Heard): void {
    if (mayEndSession(message, this.#userId)) this.check();
  }
}

function sharedState<State>({ app, streams }: GraphqlContext, userId: string, watched: Watched<State>) {
  const key = `${userId} ${watched.key}`;
  const known = streams.shared.get(key) as SharedState<State> | undefined;
  if (known) return known;
  const made = new SharedState(watched, app.bus, app.clock, () => streams.shared.delete(key));
  streams.shared.set(key, made);
  return made;
}

/** One user's streams share a state, which is read once after each change. */
class SharedState<State> {
  /** Number of changes received. */
  version = 0;
  readonly #streams = new Set<StateStream<State>>();
  readonly #listening: Listening;
  #latest: { version: number; since: number; state: Promise<State> } | null = null;
  #isOver = false;

  constructor(
    private readonly watched: Watched<State>,
    bus: EventBus,
    private readonly clock: Clock,
    private readonly onEnd: () => void,
  ) {
    const { accessOnly = false } = watched;
    this.#listening = new Listening(bus, (message) => this.#onMessage(message), { accessOnly });
  }

  join(stream: StateStream<State>): void {
    this.#streams.add(stream);
  }

  leave(stream: StateStream<State>): void {
    this.#streams.delete(stream);
    if (this.#isOver || this.#streams.size > 0) return;
    this.#isOver = true;
    this.#listening.close();
    this.onEnd();
  }

  read(context: GraphqlContext): Promise<State> {
    const latest = this.#latest;
    const isCurrent = latest?.version === this.version && this.clock.now() - latest.since < CACHE_MS;
    return isCurrent ? latest.state : this.readAnew(context);
  }

  readAnew(context: GraphqlContext): Promise<State> {
    const latest = { version: this.version, since: this.clock.now(), state: this.#read(context) };
    this.#latest = latest;
    latest.state.catch(() => {
      if (this.#latest === latest) this.#latest = null;
    });
    return latest.state;
  }

  /** Reads until the subscription covers all topics of the state. */
  async #read(context: GraphqlContext): Promise<State> {
    for (;;) {
      const state = await this.watched.read(context);
      const isComplete = await this.#listening.to(this.watched.topicsOf(state));
      if (isComplete) return state;
    }
  }

  #isChange(message: BusMessage): boolean {
    return this.watched.isChange?.(message) ?? message.invalidates.includes('portal');
  }

  #onMessage(message: Heard): void {
    if (message.type !== STREAM_GAP && !this.#isChange(message)) return;
    this.version += 1;
    for (const stream of this.#streams) stream.wake();
  }
}

class Listening {
  readonly #open = new Map<string, BusSubscription>();
  #isClosed = false;

  constructor(
    private readonly bus: EventBus,
    private readonly hear: (message: Heard) => void,
    private readonly options: SubscribeOptions = {},
  ) {}

  /** Replaces the topics. @returns whether all were subscribed before */
  async to(wanted: string[]): Promise<boolean> {
    if (this.#isClosed) return true;
    const names = new Set(wanted);
    for (const [topic, subscription] of this.#open) {
      if (names.has(topic)) continue;
      this.#open.delete(topic);
      subscription.close();
    }
    const added = wanted.filter((topic) => !this.#open.has(topic));
    for (const topic of added) this.#open.set(topic, this.bus.subscribe(topic, this.hear, this.options));
    await Promise.all(wanted.map((topic) => this.#open.get(topic)?.ready));
    return added.length === 0;
  }

  close(): void {
    this.#isClosed = true;
    for (const subscription of this.#open.values()) subscription.close();
    this.#open.clear();
  }
}

import type { BusMessage, EventBus, Heard } from '../domain/bus-message.js';
import { requirePerson } from '../domain/call.js';
import { BUS_RECONNECTED, type BusSubscription, topics } from '../infra/bus.js';
import type { Clock } from '../infra/clock.js';
import { REMEMBER_MS } from '../infra/memory.js';
import { type GraphqlContext, renewContext } from './context.js';
import { mayEndSession, requireSession } from './stream-sessions.js';
import type { Stream } from './streams.js';

/** What a subscription to a state is asked with. */
interface InitialArgs {
  initial?: boolean | null | undefined;
}

/** Something whose state a subscription shows after each change. */
export interface Watched<State> {
  /** What is watched, such as `team:1`; who watches the same shares what is read. */
  key: string;
  /** Reads the state, checking anew whether the caller may see it. What it throws ends the subscription. */
  read(context: GraphqlContext): Promise<State>;
  /** The topics under which changes of the state are published, and of who may see it. */
  topicsOf(state: State): string[];
  /** Whether an event under one of them is such a change; where it is not said, those are that make portal pages obsolete. */
  isChange?(message: BusMessage): boolean;
}

/**
 * A state as it is after each change, for as long as the caller is signed in and may see it. The present state is the first
 * value where `initial` asks for it; who does not asks for it once the subscription stands. A change is a mark, not an entry of
 * a queue: however many come while a slow reader is busy, the next value is the state after all of them.
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

  /** Checks that the caller may see the state, and hears its changes from then on. */
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

  /** The state after all changes until the stream's turn, which lasts until the value has been worked out. */
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

/** What one person's streams of the same state share: its changes are heard once, and after each it is read once for all. */
class SharedState<State> {
  /** How many changes were heard. */
  version = 0;
  readonly #streams = new Set<StateStream<State>>();
  readonly #listening: Listening;
  #latest: { version: number; since: number; state: Promise<State> } | null = null;
  #isOver = false;

  /** @param onEnd runs when the last stream has left */
  constructor(
    private readonly watched: Watched<State>,
    bus: EventBus,
    private readonly clock: Clock,
    private readonly onEnd: () => void,
  ) {
    this.#listening = new Listening(bus, (message) => this.#onMessage(message));
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

  /** The state after all changes so far. */
  read(context: GraphqlContext): Promise<State> {
    const latest = this.#latest;
    const isCurrent = latest?.version === this.version && this.clock.now() - latest.since < REMEMBER_MS;
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

  /** The state, read while every topic that its changes come under is listened to. */
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
    if (message.type !== BUS_RECONNECTED && !this.#isChange(message)) return;
    this.version += 1;
    for (const stream of this.#streams) stream.wake();
  }
}

/** The topics a stream hears. */
class Listening {
  readonly #open = new Map<string, BusSubscription>();
  #isClosed = false;

  constructor(
    private readonly bus: EventBus,
    private readonly hear: (message: Heard) => void,
  ) {}

  /** Hears these topics and no others from now on. @returns whether it was hearing all of them before */
  async to(wanted: string[]): Promise<boolean> {
    if (this.#isClosed) return true;
    const names = new Set(wanted);
    for (const [topic, subscription] of this.#open) {
      if (names.has(topic)) continue;
      this.#open.delete(topic);
      subscription.close();
    }
    const added = wanted.filter((topic) => !this.#open.has(topic));
    for (const topic of added) this.#open.set(topic, this.bus.subscribe(topic, this.hear));
    await Promise.all(wanted.map((topic) => this.#open.get(topic)?.ready));
    return added.length === 0;
  }

  close(): void {
    this.#isClosed = true;
    for (const subscription of this.#open.values()) subscription.close();
    this.#open.clear();
  }
}

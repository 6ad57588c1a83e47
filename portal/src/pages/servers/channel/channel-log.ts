import type { Client } from 'urql';
import { ChannelMessagesDocument } from '../../../gql/servers/channel/channel.js';
import type { ChannelMessagesQuery, MessageShownFragment } from '../../../gql/types.js';
import { Store } from '../../../store.js';
import { problemIn, sentenceOf } from '../../../ui/problems.js';

const PER_PAGE = 50;

export interface Log {
  /** By id, oldest first; null while loading. */
  known: Known | null;
  hasOlder: boolean;
  /** Why the newest messages could not be loaded. */
  fault: string | null;
}

export type Fate = 'there' | 'deleted' | 'out of reach';

type Known = ReadonlyMap<string, MessageShownFragment>;

type Page = NonNullable<ChannelMessagesQuery['channel']>['messages'];

/** Stands for the newest page among the ids to fetch. */
const NEWEST = 'newest';

/**
 * Sends one request at a time, so that an older response never replaces a newer one.
 * Changes during a request are fetched after it.
 */
export class ChannelLog {
  readonly log = new Store<Log>({ known: null, hasOlder: false, fault: null });

  /** Message ids to fetch, or {@link NEWEST}. */
  readonly #due = new Set<string>();

  /** Deleted messages, which a pending response may still include. */
  readonly #gone = new Set<string>();

  /** Messages put during a request, whose response may be older. */
  readonly #late = new Map<string, MessageShownFragment>();

  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly channelId: string,
  ) {}

  readonly askNewest = (): void => this.#ask(NEWEST);

  /** Fetches a new or changed message. */
  renew(id: string): void {
    this.#ask(id);
  }

  /** @returns an error message, or null */
  readonly loadOlder = (): Promise<string | null> =>
    this.#inTurn(async () => {
      const [first] = this.#known().keys();
      const { page, problem } = await this.#read(PER_PAGE, first ?? null);
      if (page) this.#set({ known: this.#merged(messagesIn(page)), hasOlder: page.pageInfo.hasPreviousPage });
      return problem;
    });

  /** Adds or replaces a message. */
  readonly put = (message: MessageShownFragment): void => {
    this.#late.set(message.id, message);
    if (this.log.get().known) this.#set({ known: this.#merged([message]) });
  };

  /** Messages older than the loaded ones are `out of reach`. */
  readonly fateOf = (id: string): Fate => {
    const { known } = this.log.get();
    if (this.#gone.has(id)) return 'deleted';
    if (!known || known.has(id)) return 'there';
    const [first] = known.keys();
    return first !== undefined && BigInt(id) < BigInt(first) ? 'out of reach' : 'deleted';
  };

  readonly remove = (...ids: string[]): void => {
    for (const id of ids) this.#gone.add(id);
    if (this.log.get().known) this.#set({ known: this.#merged([]) });
  };

  #ask(what: string): void {
    this.#due.add(what);
    void this.#inTurn(() => this.#askDue());
  }

  #inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const done = this.#turn.then(work);
    this.#turn = done;
    return done;
  }

  /** Fetches one message by id, several with the newest page, and those older than it one by one. */
  async #askDue(): Promise<void> {
    const due = [...this.#due];
    const older = due.filter((id) => id !== NEWEST && this.#isOlder(id));
    const newer = due.filter((id) => !older.includes(id));
    const [next] = newer.length > 0 ? newer : older;
    if (next === undefined) return;
    const isOne = next !== NEWEST && newer.length <= 1 && this.log.get().known !== null;
    const asked = isOne ? [next] : newer;
    for (const id of asked) this.#due.delete(id);
    const isAnswered = isOne ? await this.#askOne(next) : await this.#askPage();
    if (isAnswered) return this.#askDue();
    // The next event retries.
    this.#due.add(NEWEST);
  }

  #isOlder(id: string): boolean {
    const first = [...this.#known().keys()].at(-PER_PAGE);
    return first !== undefined && BigInt(id) < BigInt(first);
  }

  async #askPage(): Promise<boolean> {
    const { page, problem } = await this.#read(PER_PAGE, null);
    if (page) this.#set(this.#withNewest(page));
    this.#set({ fault: problem });
    return problem === null;
  }

  async #askOne(id: string): Promise<boolean> {
    const [first] = this.#known().keys();
    const isBefore = first !== undefined && BigInt(id) < BigInt(first);
    if (isBefore && this.log.get().hasOlder) return true;
    const { page, problem } = await this.#read(1, String(BigInt(id) + 1n));
    const found = page && messagesIn(page).filter((message) => message.id === id);
    if (found)
      this.#set({
        known: this.#merged(
          found,
          [...this.#known().values()].filter((one) => one.id !== id),
        ),
      });
    this.#set({ fault: problem });
    return problem === null;
  }

  async #read(last: number, before: string | null) {
    this.#late.clear();
    const variables = { id: this.channelId, last, before };
    const { data, error } = await this.client
      .query(ChannelMessagesDocument, variables, { requestPolicy: 'network-only' })
      .toPromise();
    return { page: data?.channel?.messages ?? null, problem: error ? sentenceOf(problemIn(error)) : null };
  }

  #known(): Known {
    return this.log.get().known ?? new Map();
  }

  #set(changed: Partial<Log>): void {
    this.log.set({ ...this.log.get(), ...changed });
  }

  #merged(messages: readonly MessageShownFragment[], known: Iterable<MessageShownFragment> = this.#known().values()) {
    const all = new Map([...known, ...messages, ...this.#late.values()].map((message) => [message.id, message]));
    for (const id of this.#gone) all.delete(id);
    return new Map([...all].sort(([one], [other]) => (BigInt(one) < BigInt(other) ? -1 : 1)));
  }

  /** Replaces messages from the page's first one on. Older ones stay only if the page overlaps the loaded ones. */
  #withNewest(page: Page): Partial<Log> {
    const newest = messagesIn(page);
    const first = newest[0]?.id;
    const { hasPreviousPage } = page.pageInfo;
    if (first === undefined || !this.#known().has(first)) {
      return { known: this.#merged(newest, []), hasOlder: hasPreviousPage };
    }
    const older = [...this.#known().values()].filter(({ id }) => BigInt(id) < BigInt(first));
    const hasOlder = older.length > 0 ? this.log.get().hasOlder : hasPreviousPage;
    return { known: this.#merged(newest, older), hasOlder };
  }
}

const messagesIn = ({ edges }: Page) => edges.map(({ node }) => node);

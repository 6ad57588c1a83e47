/** The events of one committed change, or one event without a commit. */
export interface Envelope<Message> {
  /** Id of the publishing process. */
  origin: string;
  /** Counts what the process has published. */
  count: number;
  /** Count of the process's envelope before this one in the stream; 0 if it does not know one. */
  previous: number;
  /** The stream's number of the change, in the order of commits; null without a commit. */
  clock: number | null;
  /** Empty if the change has no events, or if they are lost. */
  messages: readonly Message[];
  /** Whether the change has events that could not be built. */
  isGap?: true;
  /** Milliseconds since the Unix epoch. Earlier versions of the program leave it out. */
  publishedAt?: number;
}

/** Identifies an envelope, and orders it among the committed changes of its stream. */
export type Place = Pick<Envelope<unknown>, 'origin' | 'count' | 'clock' | 'publishedAt'>;

/** The delivered part of a stream: all of each publisher up to a count, and all committed changes up to a clock. */
export interface StreamPosition {
  /** Null if there were none. */
  clock: number | null;
  /** By publisher. */
  counts: Record<string, number>;
  /** When the process began to hear the stream, in milliseconds since the Unix epoch. */
  openedAt: number;
}

/** Whether the envelope was delivered when a process was at the position. */
export function isWithin({ origin, count, clock }: Place, position: StreamPosition): boolean {
  if (clock !== null && position.clock !== null) return clock <= position.clock;
  return count <= (position.counts[origin] ?? 0);
}

/** The part that is read even if no listener needs the messages. */
type Header = [
  origin: string,
  count: number,
  previous: number,
  clock: number | null,
  isGap: 0 | 1,
  decidesAccess: 0 | 1,
  publishedAt?: number | null,
];

export function writeEnvelope<Message>(envelope: Envelope<Message>, decidesAccess: boolean): string {
  const { origin, count, previous, clock, messages, isGap, publishedAt } = envelope;
  const header: Header = [origin, count, previous, clock, isGap ? 1 : 0, decidesAccess ? 1 : 0, publishedAt];
  return `${JSON.stringify(header)}\n${JSON.stringify(messages)}`;
}

/** @param isNeeded whether this process needs the messages; otherwise they are left out */
export function readEnvelope<Message>(
  text: string,
  isNeeded: (origin: string, decidesAccess: boolean) => boolean,
): Envelope<Message> {
  const end = text.indexOf('\n');
  const [origin, count, previous, clock, isGap, decidesAccess, publishedAt] = JSON.parse(text.slice(0, end)) as Header;
  const messages = isNeeded(origin, decidesAccess === 1) ? (JSON.parse(text.slice(end + 1)) as Message[]) : [];
  return {
    ...{ origin, count, previous, clock, messages },
    ...(isGap ? { isGap: true as const } : {}),
    ...(typeof publishedAt === 'number' ? { publishedAt } : {}),
  };
}

// A process of gateway clients. `index.ts` starts it and sends it tasks.
import { setTimeout } from 'node:timers/promises';
import { Load } from '../load.js';
import { percentile } from '../rounds.js';
import type { Task, TaskAnswer } from './index.js';
import { LightSocket } from './socket.js';

/** The first messages of each session: HELLO, READY, GUILD_CREATE. */
const READY = 2;
const INTRODUCED = 3;
const CONNECTING_AT_ONCE = 50;
const STORMING_AT_ONCE = 1_000;
const HEARTBEAT_MS = 41_250;
const BEATING_EVERY_MS = 5;

const load = new Load(1);
const sockets: LightSocket[] = [];
/** Number of sockets that have received their first, second … message. */
const reached: number[] = [];
let received = 0;
/** Of each socket: events so far, without HELLO and acknowledgements. */
const events: number[] = [];
/** Of each socket: when it sent the heartbeat that is not acknowledged yet. */
const beatAt: (number | undefined)[] = [];
let beating = 0;
let roundTrips: number[] = [];
let captured: string[] | null = null;
let waiting: { isOver: () => boolean; resolve: () => void } | null = null;

/** Controls begin with `{"t":null`, events with `{"t":"`. */
const NULL_AT = 5;
const N = 'n'.charCodeAt(0);

function onMessage(socketIndex: number, ordinal: number, bytes: Buffer): void {
  if (ordinal > 1 && bytes[NULL_AT] === N) onAcknowledgement(socketIndex);
  else onEvent(socketIndex, ordinal, bytes);
  if (waiting?.isOver()) {
    const { resolve } = waiting;
    waiting = null;
    resolve();
  }
}

function onAcknowledgement(socketIndex: number): void {
  const at = beatAt[socketIndex];
  if (at === undefined) return;
  beatAt[socketIndex] = undefined;
  beating -= 1;
  roundTrips.push(performance.now() - at);
}

function onEvent(socketIndex: number, ordinal: number, bytes: Buffer): void {
  received += 1;
  const count = ordinal === 1 ? 0 : (events[socketIndex] ?? 0) + 1;
  events[socketIndex] = count;
  if (count < INTRODUCED) reached[count + 1] = (reached[count + 1] ?? 0) + 1;
  if (captured && socketIndex === 0) captured.push(bytes.toString());
}

function beat(socketIndex: number): void {
  if (events[socketIndex] === undefined || beatAt[socketIndex] !== undefined) return;
  beatAt[socketIndex] = performance.now();
  beating += 1;
  sockets[socketIndex]?.send(`{"op":1,"d":${events[socketIndex]}}`);
}

/**
 * Each socket sends heartbeats at the usual interval, spread over it.
 * @returns a function that ends this
 */
function keepBeating(): () => void {
  const start = performance.now();
  let beats = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - start) / HEARTBEAT_MS) * sockets.length;
    for (; beats < due; beats += 1) beat(beats % sockets.length);
  }, BEATING_EVERY_MS);
  return () => clearInterval(timer);
}

function until(isOver: () => boolean): Promise<void> {
  if (isOver()) return Promise.resolve();
  return new Promise((resolve) => {
    waiting = { isOver, resolve };
  });
}

const untilAllReached = (ordinal: number) => until(() => (reached[ordinal] ?? 0) >= sockets.length);

async function open(url: string): Promise<LightSocket> {
  const index = sockets.length;
  const socket = new LightSocket(new URL(url), (ordinal, bytes) => onMessage(index, ordinal, bytes));
  sockets.push(socket);
  await socket.opened;
  return socket;
}

/**
 * Keeps the process awake between two messages. Waking it would count as time of the server's writes, the more so for
 * slow ones.
 * @returns a function that ends this
 */
function stayAwake(): () => void {
  let awake = true;
  const turn = () => {
    if (awake) setImmediate(turn);
  };
  turn();
  return () => {
    awake = false;
  };
}

const tasks = {
  /**
   * Opens a socket for each IDENTIFY, then sends them all together. Returns the seconds from there to the last READY.
   */
  async identify({ url, identifies }) {
    for (let start = 0; start < identifies.length; start += CONNECTING_AT_ONCE) {
      await Promise.all(identifies.slice(start, start + CONNECTING_AT_ONCE).map(() => open(url)));
    }
    await untilAllReached(1);
    const start = performance.now();
    for (const [index, text] of identifies.entries()) sockets[sockets.length - identifies.length + index]?.send(text);
    await untilAllReached(READY);
    const seconds = (performance.now() - start) / 1_000;
    await untilAllReached(INTRODUCED);
    return { seconds };
  },

  /**
   * Identifies in sequence, with an event for the existing sessions in between, so that all sequence numbers differ.
   */
  async identifyStaggered({ url, identifies, event }) {
    for (const text of identifies) {
      (await open(url)).send(text);
      await untilAllReached(INTRODUCED);
      const expected = received + sockets.length;
      await Promise.all([load.once(event), until(() => received >= expected)]);
    }
    return { seconds: 0 };
  },

  /**
   * Opens sockets, many at once, each of which sends its IDENTIFY at its HELLO. Returns the seconds until all have their
   * guilds. A lost connection ends the process.
   */
  async storm({ url, identifies }) {
    const start = performance.now();
    const rest = keepBeating();
    const left = identifies.values();
    const connect = async () => {
      for (const text of left) (await open(url)).send(text);
    };
    await Promise.all(Array.from({ length: STORMING_AT_ONCE }, connect));
    await untilAllReached(INTRODUCED);
    const seconds = (performance.now() - start) / 1_000;
    rest();
    await until(() => beating === 0);
    return { seconds };
  },

  /** Every socket sends a heartbeat with its last sequence number, `count` times. */
  async beat({ count }) {
    const start = performance.now();
    for (let beats = 0; beats < count; beats += 1) {
      for (const index of sockets.keys()) beat(index);
      await until(() => beating === 0);
    }
    return { seconds: (performance.now() - start) / 1_000 };
  },

  /**
   * Causes `count` events, `perSecond` of them, while each socket sends heartbeats at the usual interval. Waits until
   * every socket has received all events.
   */
  async steady({ event, count, perSecond }) {
    const expected = received + count * sockets.length;
    const callers = new Load(perSecond);
    roundTrips = [];
    const start = performance.now();
    const rest = keepBeating();
    const answers: Promise<string>[] = [];
    for (let sent = 0; sent < count; sent += 1) {
      answers.push(callers.once(event));
      await setTimeout(start + ((sent + 1) * 1_000) / perSecond - performance.now());
    }
    rest();
    await Promise.all([...answers, until(() => received >= expected && beating === 0)]);
    callers.close();
    const p99 = percentile(roundTrips, 0.99);
    return { seconds: (performance.now() - start) / 1_000, roundTripMs: { p50: percentile(roundTrips, 0.5), p99 } };
  },

  /** Causes an event `count` times. Each one waits until every socket has received the last. */
  async fanOut({ event, count }) {
    const start = performance.now();
    let spreading = 0;
    const rest = stayAwake();
    for (let sent = 0; sent < count; sent += 1) {
      const before = received;
      const answered = load.once(event);
      await until(() => received > before);
      const first = performance.now();
      await until(() => received >= before + sockets.length);
      spreading += performance.now() - first;
      await answered;
    }
    rest();
    return { seconds: (performance.now() - start) / 1_000, spreadingSeconds: spreading / 1_000 };
  },

  /** The first three messages of one more socket, and then that of `event`. */
  async capture({ url, identifies: [identify = ''], event }) {
    captured = [];
    (await open(url)).send(identify);
    await untilAllReached(INTRODUCED);
    await Promise.all([load.once(event), until(() => captured?.length === INTRODUCED + 1)]);
    const messages = captured;
    captured = null;
    return { seconds: 0, messages };
  },

  async close() {
    await Promise.all(sockets.splice(0).map((socket) => socket.close()));
    reached.length = 0;
    events.length = 0;
    return { seconds: 0 };
  },
} satisfies { [Name in Task['task']]: (task: Extract<Task, { task: Name }>) => Promise<TaskAnswer> };

process.on('message', async (task: Task) => {
  process.send?.(await tasks[task.task](task as never));
});
process.once('disconnect', () => process.exit(1));

// A process of gateway clients. `index.ts` starts it and sends it tasks.
import { Load } from '../load.js';
import type { Task, TaskAnswer } from './index.js';
import { LightSocket } from './socket.js';

/** The first messages of each session: HELLO, READY, GUILD_CREATE. */
const READY = 2;
const INTRODUCED = 3;
const CONNECTING_AT_ONCE = 50;

const load = new Load(1);
const sockets: LightSocket[] = [];
/** Number of sockets that have received their first, second … message. */
const reached: number[] = [];
let received = 0;
let captured: string[] | null = null;
let waiting: { isOver: () => boolean; resolve: () => void } | null = null;

function onMessage(socketIndex: number, ordinal: number, bytes: Buffer): void {
  received += 1;
  if (ordinal <= INTRODUCED) reached[ordinal] = (reached[ordinal] ?? 0) + 1;
  if (captured && socketIndex === 0) captured.push(bytes.toString());
  if (waiting?.isOver()) {
    const { resolve } = waiting;
    waiting = null;
    resolve();
  }
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
    return { seconds: 0 };
  },
} satisfies { [Name in Task['task']]: (task: Extract<Task, { task: Name }>) => Promise<TaskAnswer> };

process.on('message', async (task: Task) => {
  process.send?.(await tasks[task.task](task as never));
});
process.once('disconnect', () => process.exit(1));

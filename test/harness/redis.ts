import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';

export const REDIS_URL = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

async function redisAnswers(): Promise<boolean> {
  const redis = new Redis(REDIS_URL, { lazyConnect: true, retryStrategy: null, connectTimeout: 2_000 });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return true;
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}

/** Why two processes cannot be tried here, or null when they can. */
export async function missingForSeveralProcesses(): Promise<string | null> {
  if (!process.env.TEST_DATABASE_URL)
    return 'needs a PostgreSQL that two processes share; name one with TEST_DATABASE_URL';
  return (await redisAnswers()) ? null : `no Redis answers at ${REDIS_URL}; name another one with TEST_REDIS_URL`;
}

/** A way to Redis that a test can cut, for those who take it and nobody else. */
export interface RedisLine {
  url: string;
  /** Ends all connections, and lets none through until it is mended. */
  cut(): void;
  mend(): void;
  close(): void;
}

export async function layRedisLine(): Promise<RedisLine> {
  const target = new URL(REDIS_URL);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port || 6379), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = new URL(REDIS_URL);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.toString(),
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isCut = false;
    },
    close: () => void server.close(),
  };
}

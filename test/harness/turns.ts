import { yieldToEventLoop } from '../../src/infra/concurrency/event-loop.js';

export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    while (!isOver) {
      await yieldToEventLoop();
      turns += 1;
    }
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await others;
  }
  return turns;
}

/** Calls `tell` in each round of the event loop, until the returned function is called. */
export function eachRound(tell: () => void): () => void {
  let waiting = setImmediate(function goRound() {
    waiting = setImmediate(goRound);
    tell();
  });
  return () => clearImmediate(waiting);
}

/** The number of rounds of the event loop while `work` ran. Sockets are served in each round. */
export async function roundsDuring(work: () => Promise<unknown>): Promise<number> {
  let rounds = 0;
  const end = eachRound(() => {
    rounds += 1;
  });
  try {
    await work();
  } finally {
    end();
  }
  return rounds;
}

import { nextTurn } from '../../src/infra/turns.js';

/** How often others had a turn while `work` ran. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    while (!isOver) {
      await nextTurn();
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

/** Calls `tell` each time the event loop goes round, until what it answers is called. */
export function eachRound(tell: () => void): () => void {
  let waiting = setImmediate(function goRound() {
    waiting = setImmediate(goRound);
    tell();
  });
  return () => clearImmediate(waiting);
}

/** How often the event loop went round while `work` ran: sockets are served each time. */
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

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

/** How often the event loop went round while `work` ran: sockets are served each time. */
export async function roundsDuring(work: () => Promise<unknown>): Promise<number> {
  let rounds = 0;
  let waiting: NodeJS.Immediate;
  const count = () => {
    rounds += 1;
    waiting = setImmediate(count);
  };
  waiting = setImmediate(count);
  try {
    await work();
  } finally {
    clearImmediate(waiting);
  }
  return rounds;
}

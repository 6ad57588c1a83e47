/** How often others had a turn of the event loop while `work` ran: sockets are served in each. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let waiting: NodeJS.Immediate;
  const count = () => {
    turns += 1;
    waiting = setImmediate(count);
  };
  waiting = setImmediate(count);
  try {
    await work();
  } finally {
    clearImmediate(waiting);
  }
  return turns;
}

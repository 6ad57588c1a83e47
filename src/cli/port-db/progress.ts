const TERMINAL_EVERY_MS = 200;
const PLAIN_EVERY_MS = 5_000;

export interface TableProgress {
  at(rows: number): void;
  end(rows: number): void;
}

/** Writes to stderr: one line per table, which a terminal shows from its beginning. */
export class Progress {
  say(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /**
   * @param verb such as `copied`
   * @param before rows of an earlier run
   */
  table(verb: string, name: string, total: number, before: number): TableProgress {
    const isTerminal = process.stderr.isTTY;
    const startedAt = performance.now();
    let shownAt = startedAt;
    const write = (rows: number, isOver: boolean) => {
      const seconds = (performance.now() - startedAt) / 1_000;
      const share = total === 0 ? 100 : Math.floor((100 * rows) / total);
      const speed = Math.round((rows - before) / Math.max(seconds, 0.001));
      const text = `${verb} ${name}: ${rows} of ${total} rows, ${share} %, ${speed} rows/s`;
      // Erases the rest of the line.
      process.stderr.write(isTerminal ? `\r${text}\x1b[K${isOver ? '\n' : ''}` : `${text}\n`);
    };
    return {
      at(rows) {
        const now = performance.now();
        if (now - shownAt < (isTerminal ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS)) return;
        shownAt = now;
        write(rows, false);
      },
      end(rows) {
        if (total > 0) write(rows, true);
      },
    };
  }
}

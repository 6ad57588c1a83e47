import { createInterface } from 'node:readline/promises';
import { Failure } from './failure.js';
import { USAGE_ERROR } from './remote/options.js';

/**
 * Asks in the terminal.
 * @param subject what there is to confirm, such as “the plan”
 * @throws {Failure} without a terminal
 */
export async function confirm(question: string, subject: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new Failure(`there is no terminal to confirm ${subject}; pass --yes`, USAGE_ERROR);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

import type { Command } from 'commander';
import { confirm } from '../confirm.js';
import { exitWith, Failure } from '../failure.js';
import { Refusal } from '../remote/graphql.js';
import type { AdminOptions } from './connection.js';

export interface ActOptions extends AdminOptions {
  reason: string;
}

export interface ConfirmedOptions extends AdminOptions {
  yes?: true;
}

export function withReason(command: Command): Command {
  return command.requiredOption('--reason <text>', 'why, for the audit log of the instance');
}

export function withYes(command: Command): Command {
  return command.option('--yes', 'do not ask for confirmation; needed without a terminal');
}

/** @throws {Failure} if the person at the terminal does not confirm it */
export async function confirmed({ yes }: ConfirmedOptions, plan: string): Promise<void> {
  if (yes || (await confirm(`${plan}\nContinue?`, 'this'))) return;
  throw new Failure('nothing was changed');
}

/** Runs the work of a command, and shows which input was wrong. */
export function run(work: () => Promise<void>): Promise<void> {
  return exitWith(async () => {
    try {
      await work();
      return 0;
    } catch (error) {
      throw error instanceof Refusal ? withFields(error) : error;
    }
  });
}

function withFields({ message, code, fields }: Refusal): Refusal {
  const lines = Object.entries(fields).flatMap(([path, faults]) =>
    faults
      .filter((fault) => !message.includes(fault.message))
      .map((fault) => `\n  ${path.replace(/^input\./, '')}: ${fault.message}`),
  );
  return new Refusal(message + lines.join(''), code);
}

import { invokeBuiltIn } from '../../../src/domain/built-in-commands/index.js';
import type { CallContext } from '../../../src/domain/call.js';
import { InvokedOptions } from '../../../src/domain/interactions/index.js';
import { parseInput } from '../../../src/domain/parse-input.js';
import type { Interaction } from '../../../src/infra/database/index.js';

export async function runBuiltIn(
  call: CallContext,
  channelId: bigint,
  name: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Interaction> {
  const given = Object.entries(options).map(([option, value]) => ({ name: option, value }));
  return invokeBuiltIn(call, { channelId, name, options: parseInput(InvokedOptions, given, 'options') });
}

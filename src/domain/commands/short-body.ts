import { isDeepStrictEqual } from 'node:util';
import { ApplicationCommandType } from 'discord-api-types/v10';
import { type InstallContexts, installContexts, saysNothing } from './columns.js';
import { bodyOf } from './patch.js';
import type { CommandRecord } from './record.js';

/**
 * The shortest body in wire format from which the command follows.
 * @param application its contexts are the default of `integration_types`
 */
export function shortBodyOf(command: CommandRecord, application: InstallContexts): object {
  const { integration_types, ...body } = bodyOf(command);
  const fields = {
    ...(command.type === ApplicationCommandType.ChatInput ? {} : { type: command.type }),
    ...body,
    ...(isDeepStrictEqual(integration_types, installContexts(application)) ? {} : { integration_types }),
    contexts: command.contexts,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && !saysNothing(value)));
}

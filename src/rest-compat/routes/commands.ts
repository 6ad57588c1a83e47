import { z } from 'zod';
import {
  type CommandKey,
  CommandPatch,
  type CommandScope,
  CommandSet,
  commandSchemas,
  createCommand,
  deleteCommand,
  getCommand,
  listCommands,
  NewCommand,
  overwriteCommands,
  patched,
  updateCommand,
} from '../../domain/commands/index.js';
import { parseInput } from '../../domain/parse-input.js';
import { COMMAND_JSON_BOUNDS } from '../../infra/network/bounded-json.js';
import { renderCommand } from '../../wire/commands.js';
import { reads, writes } from '../buckets.js';
import { coerceTo } from '../coerce.js';
import { type Caller, CLOUD, type Route, route, type Where } from '../route.js';
import { ids, queryBoolean } from '../schemas.js';

const callers: readonly Caller[] = ['bot', { scope: 'applications.commands' }];

type ScopeParams = { applicationId: bigint; guildId?: bigint };
type KeyParams = ScopeParams & { commandId: bigint };

/** Global commands, or commands of one guild. */
interface CommandPaths {
  path: string;
  /** Prefix of its bucket names. */
  name: string;
  /** In summaries of the routes. */
  kind: 'global' | 'server';
  where: Where;
  params: z.ZodType<ScopeParams>;
  paramsOfOne: z.ZodType<KeyParams>;
}

const SCOPES: readonly CommandPaths[] = [
  {
    path: '/applications/:applicationId/commands',
    name: 'commands',
    kind: 'global',
    where: CLOUD,
    params: ids('applicationId'),
    paramsOfOne: ids('applicationId', 'commandId'),
  },
  {
    path: '/applications/:applicationId/guilds/:guildId/commands',
    name: 'guild-commands',
    kind: 'server',
    where: { by: 'guildId', selfHosted: 'notFound' },
    params: ids('applicationId', 'guildId'),
    paramsOfOne: ids('applicationId', 'guildId', 'commandId'),
  },
];

function scopeOf({ applicationId, guildId }: ScopeParams): CommandScope {
  return { applicationId, guildId: guildId ?? null };
}

function keyOf({ commandId, ...params }: KeyParams): CommandKey {
  return { ...scopeOf(params), commandId };
}

function rowsIn({ path, name, kind, where, params, paramsOfOne }: CommandPaths): Route[] {
  const one = `${path}/:commandId`;
  return [
    route({
      method: 'GET',
      path,
      summary: `List the application's ${kind} commands`,
      callers,
      bucket: reads(`list-${name}`, 'applicationId'),
      where,
      params,
      query: z.object({ with_localizations: queryBoolean }),
      run: async (call, { params, query }) => ({
        commands: await listCommands(call, scopeOf(params)),
        translations: query.with_localizations ? ('all' as const) : { locale: call.locale },
      }),
      render: ({ commands, translations }) => commands.map((command) => renderCommand(command, translations)),
    }),
    route({
      method: 'POST',
      path,
      summary: `Create a ${kind} command`,
      description: 'A command with the same name and type is replaced, with 200 instead of 201.',
      callers,
      bucket: writes(`create-${name}`, 'applicationId'),
      where,
      params,
      body: NewCommand,
      jsonBounds: COMMAND_JSON_BOUNDS,
      bodyFor: (call) => commandSchemas(call).command,
      run: (call, { params, body }) => createCommand(call, scopeOf(params), body),
      status: { oneOf: [200, 201], of: ({ isNew }) => (isNew ? 201 : 200) },
      render: ({ command }) => renderCommand(command),
    }),
    route({
      method: 'PUT',
      path,
      summary: `Replace all ${kind} commands`,
      description: 'Commands that the body does not contain are deleted.',
      callers,
      bucket: writes(`overwrite-${name}`, 'applicationId'),
      where,
      params,
      body: CommandSet,
      jsonBounds: COMMAND_JSON_BOUNDS,
      bodyFor: (call) => commandSchemas(call).set,
      isParsedInTurns: true,
      run: (call, { params, body }) => overwriteCommands(call, scopeOf(params), body),
      render: ({ commands }) => commands.map((command) => renderCommand(command)),
    }),
    route({
      method: 'GET',
      path: one,
      summary: `Get a ${kind} command`,
      callers,
      bucket: reads(`get-${name}`, 'applicationId'),
      where,
      params: paramsOfOne,
      run: (call, { params }) => getCommand(call, keyOf(params)),
      render: (command) => renderCommand(command),
    }),
    route({
      method: 'PATCH',
      path: one,
      summary: `Edit a ${kind} command`,
      callers,
      bucket: writes(`edit-${name}`, 'applicationId'),
      where,
      params: paramsOfOne,
      body: CommandPatch,
      jsonBounds: COMMAND_JSON_BOUNDS,
      run: (call, { params, body }) =>
        updateCommand(call, keyOf(params), (before) => {
          const [schema, whole] = patched(call, before, body);
          return parseInput(schema, coerceTo(schema, whole));
        }),
      render: (command) => renderCommand(command),
    }),
    route({
      method: 'DELETE',
      path: one,
      summary: `Delete a ${kind} command`,
      callers,
      bucket: writes(`delete-${name}`, 'applicationId'),
      where,
      params: paramsOfOne,
      run: (call, { params }) => deleteCommand(call, keyOf(params)),
    }),
  ];
}

export const commandRoutes = SCOPES.flatMap(rowsIn);

import { z } from 'zod';
import { notFound, SandboxError } from '../errors.js';
import { PRESETS, rulesOf } from '../faults/presets.js';
import { ConnectionRule, FaultRule, PresetRule } from '../faults/schemas.js';
import { type Route, route } from '../route.js';
import { formatTranscript } from '../transcript-formats.js';
import { LONGEST_WAIT_MS } from '../waiting.js';

export const faultRoutes: readonly Route[] = [
  route('POST /worlds/:world/faults', {
    summary: 'Adds a rule that disturbs what the platform exchanges with bots. A reset removes it.',
    body: FaultRule,
    run: (sandbox, { params, body }) => sandbox.world(params.world).addFault(body),
  }),
  route('POST /worlds/:world/fault-presets', {
    summary: 'Adds the rules of a preset, and disturbs the connections of the bots if it says so.',
    body: PresetRule,
    run(sandbox, { params, body: { preset, seed, application, forMs } }) {
      const world = sandbox.world(params.world);
      const rules = rulesOf(preset, seed).map((rule) => world.addFault({ ...rule, application, forMs }));
      const { now } = PRESETS[preset];
      const bots = application === undefined ? world.applications : [world.application(application)];
      if (now) for (const { id } of bots) for (const open of sandbox.connections.of(id)) open.disturb(now);
      return rules;
    },
  }),
  route('GET /worlds/:world/faults', {
    summary: 'Lists the rules, and how often each took effect.',
    run: (sandbox, { params }) => sandbox.world(params.world).faults.list(),
  }),
  route('DELETE /worlds/:world/faults/:fault', {
    summary: 'Removes a rule.',
    run(sandbox, { params }) {
      const { faults } = sandbox.world(params.world);
      const { fault = '' } = params;
      if (!faults.delete(fault))
        throw notFound(
          'fault',
          fault,
          faults.list().map(({ id }) => id),
        );
      return undefined;
    },
  }),
  route('POST /worlds/:world/applications/:application/disturbances', {
    summary: "Closes the bot's gateway connections, or sends it RECONNECT or INVALID_SESSION, now.",
    body: ConnectionRule,
    run(sandbox, { params, body }) {
      const application = sandbox.world(params.world).application(params.application);
      const open = sandbox.connections.of(application.id);
      if (open.length === 0) throw new SandboxError(409, 'BOT_NOT_CONNECTED', `${application.name} is not connected.`);
      for (const connection of open) connection.disturb(body);
      return undefined;
    },
  }),
];

const Text = z.object({
  after: z.coerce.number().int().min(0).default(0).describe('Only entries with higher numbers.'),
  withinMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(LONGEST_WAIT_MS)
    .default(0)
    .describe('How long to wait for an entry if there is none, in milliseconds of real time.'),
  format: z.enum(['json', 'jsonl', 'text']).default('json').describe('`jsonl` has an entry in each line.'),
});

export const transcriptRoutes: readonly Route[] = [
  route('GET /worlds/:world/transcript', {
    summary: 'Lists the actions of people, bots and the platform in order.',
    query: Text,
    contentTypes: ['application/json', 'application/x-ndjson', 'text/plain'],
    async run(sandbox, { params, query: { after, withinMs, format } }) {
      const { transcript } = sandbox.world(params.world);
      return formatTranscript(await transcript.next(after, withinMs), transcript.unknownRoutes, format);
    },
  }),
];

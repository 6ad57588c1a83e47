import { z } from 'zod';
import { DomainError } from '../../domain/errors.js';
import type { GuildStore } from '../../domain/guilds/index.js';
import type { VoiceStateRecord } from '../../domain/voice/index.js';
import { renderGuildCreate } from '../../wire/guild-create.js';
import { renderMember } from '../../wire/members.js';
import { renderVoiceStateWithin } from '../../wire/voice.js';
import { snowflake } from '../protocol/ids.js';

const guild_id = snowflake;
const limit = z.number().int().min(0).max(1_000);

interface Answer<Input> {
  input: z.ZodType<Input>;
  answer(store: GuildStore, input: Input): Promise<unknown>;
}

function call<Input>({ input, answer }: Answer<Input>) {
  return (store: GuildStore, sent: unknown) => {
    const parsed = input.safeParse(sent);
    if (!parsed.success) throw new DomainError('INVALID_INPUT', undefined, { cause: parsed.error });
    return answer(store, parsed.data);
  };
}

/** See docs/relay.md, R-27. */
const CALLS: ReadonlyMap<string, (store: GuildStore, sent: unknown) => Promise<unknown>> = new Map([
  ['guild', call({ input: z.object({ guild_id }), answer: (store, input) => renderGuildOf(store, input.guild_id) })],
  [
    'member',
    call({
      input: z.object({ guild_id, user_id: snowflake }),
      answer: async (store, input) => {
        const [member] = await store.members(input.guild_id, { userIds: [input.user_id] }, 1);
        return member ? renderMember(member) : null;
      },
    }),
  ],
  [
    'members',
    call({
      input: z.object({
        guild_id,
        after: snowflake.optional(),
        user_ids: z.array(snowflake).max(1_000).optional(),
        limit,
      }),
      answer: async (store, { guild_id: guildId, after, user_ids: userIds, limit: take }) => {
        const members = await store.members(guildId, { after, ...(userIds ? { userIds } : {}) }, take);
        return members.map(renderMember);
      },
    }),
  ],
  [
    'notable_members',
    call({
      input: z.object({ guild_id, limit }),
      answer: async (store, input) => (await store.notableMembers(input.guild_id, input.limit)).map(renderMember),
    }),
  ],
  [
    'search_members',
    call({
      input: z.object({ guild_id, query: z.string().max(200), limit }),
      answer: async (store, input) =>
        (await store.searchMembers(input.guild_id, input.query, input.limit)).map(renderMember),
    }),
  ],
]);

/**
 * @returns undefined for an unknown name; the result may be null
 * @throws INVALID_INPUT
 */
export async function answerCall(store: GuildStore, name: string, input: unknown): Promise<unknown> {
  return CALLS.get(name)?.(store, input);
}

/** As in GUILD_CREATE, without members. Each voice state contains its member. */
async function renderGuildOf(store: GuildStore, guildId: bigint): Promise<object | null> {
  const [snapshot, states] = await Promise.all([store.snapshot(guildId), store.voiceStates(guildId)]);
  return snapshot && { ...renderGuildCreate(snapshot), voice_states: states.flatMap(renderInVoice) };
}

function renderInVoice(state: VoiceStateRecord): object[] {
  return state.member ? [{ ...renderVoiceStateWithin(state), member: renderMember(state.member) }] : [];
}

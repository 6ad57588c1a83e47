import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import type { Reader } from '../../infra/database/index.js';
import { WITH_USER_AND_ROLES } from '../members/record.js';
import { type VoiceStateRecord, voiceRecord } from './record.js';

const PAGE = 400;

/** Ordered by user id. */
export async function loadVoiceStates(reader: Reader, guildId: bigint, now: Date): Promise<VoiceStateRecord[]> {
  const found: VoiceStateRecord[] = [];
  for (let after = 0n; ; ) {
    const page = await reader.voiceState.findMany({
      where: { guildId, userId: { gt: after }, process: { until: { gt: now } } },
      orderBy: { userId: 'asc' },
      take: PAGE,
    });
    if (page.length === 0) return found;
    const members = await reader.member.findMany({
      where: { guildId, userId: { in: page.map(({ userId }) => userId) } },
      include: WITH_USER_AND_ROLES,
    });
    const memberOf = new Map(members.map((member) => [member.userId, member]));
    for (const state of page) {
      const member = memberOf.get(state.userId);
      if (member) found.push(voiceRecord(state, member));
      after = state.userId;
    }
    if (page.length < PAGE) return found;
    await yieldToEventLoop();
  }
}

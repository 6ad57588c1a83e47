import type { BusMessage, Invalidation } from '../domain/bus-message.js';
import { DomainError } from '../domain/errors.js';
import type { Guild as GuildRow } from '../infra/database/index.js';
import { topics } from '../infra/streams/topics.js';
import { builder } from './builder.js';
import { readerOf } from './guild-readers/index.js';
import { Guild } from './guilds.js';
import { idOf, parseId } from './ids.js';
import { initialArgs, WITH_INITIAL } from './initial.js';
import { type Watched, watchState } from './watched-state.js';

function watchedGuild(id: bigint): Watched<GuildRow> {
  return {
    key: `guild:${id}`,
    async read(context) {
      const guild = await readerOf(context, id).current();
      if (!guild) throw new DomainError('UNKNOWN_GUILD');
      return guild;
    },
    topicsOf: () => [topics.guild(id)],
    isChange: showsInGuild,
  };
}

const SHOWN: ReadonlySet<Invalidation> = new Set(['view', 'picture', 'member', 'portal']);

function showsInGuild({ invalidates }: BusMessage): boolean {
  return invalidates.some((what) => SHOWN.has(what));
}

builder.subscriptionField('guildChanged', (t) =>
  t.field({
    type: Guild,
    description: `The server after each change of its settings, roles, channels, emojis, members or audit log, until the caller leaves. ${WITH_INITIAL}`,
    args: { guildId: t.arg.id(idOf.guild), ...initialArgs },
    subscribe: (_root, { guildId, ...args }, context) =>
      watchState(context, watchedGuild(parseId(guildId, 'guildId')), args),
    resolve: (guild) => guild,
  }),
);

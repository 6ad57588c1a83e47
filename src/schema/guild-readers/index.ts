import type { GraphqlContext } from '../context.js';
import { BoxGuildReader } from './box.js';
import { DatabaseGuildReader } from './database.js';
import type { GuildReader } from './reader.js';

export { guildRowOf } from './box.js';
export { canViewChannel, visibleChannel } from './channels.js';
export { memberRoles } from './member-roles.js';

export function readerOf(context: GraphqlContext, guildId: bigint): GuildReader {
  return isHere(context, guildId) ? new DatabaseGuildReader(context, guildId) : new BoxGuildReader(context, guildId);
}

/**
 * Whether this instance has the rows of the guild or channel, instead of a box. Decides by the id alone. Always true in
 * a box's own process.
 */
export function isHere({ call }: Pick<GraphqlContext, 'call'>, id: bigint): boolean {
  return !call.boxRoutes.mayHave(id);
}

/**
 * Wraps the resolver of a field that guilds on boxes do not have, such as bans. They are only in the database of the
 * box.
 * @param none value of the field for a guild on a box
 */
export function onlyHere<Guild extends { id: bigint }, Args, Info, Value>(
  none: Value | ((args: Args) => Value),
  resolve: (guild: Guild, args: Args, context: GraphqlContext, info: Info) => Value | Promise<Value>,
) {
  return (guild: Guild, args: Args, context: GraphqlContext, info: Info): Value | Promise<Value> => {
    if (isHere(context, guild.id)) return resolve(guild, args, context, info);
    return none instanceof Function ? none(args) : none;
  };
}

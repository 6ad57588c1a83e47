import { InteractionContextType as Context } from 'discord-api-types/v10';

/** Null for all contexts. */
type Contexts = Context[] | null;

/** The deprecated `dm_permission` has only this meaning. */
export function isInDirectMessages(contexts: Contexts): boolean {
  return contexts === null || contexts.includes(Context.BotDM);
}

/** `dm_permission` counts only without contexts. */
export function contextsOf(contexts: Contexts, dmPermission: boolean | undefined): Contexts {
  return contexts ?? contextsWith(null, dmPermission ?? true);
}

export function contextsWith(contexts: Contexts, dmPermission: boolean): Contexts {
  if (isInDirectMessages(contexts) === dmPermission) return contexts;
  if (dmPermission) return null;
  const others = contexts?.filter((context) => context !== Context.BotDM) ?? [];
  return others.length > 0 ? others : [Context.Guild];
}

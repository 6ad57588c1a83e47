import { InteractionResponseType as Type } from 'discord-api-types/v10';
import { z } from 'zod';
import { characters, fault, maybe, plainText } from '../domain/input.js';
import type { Callback, OfferedChoice } from '../domain/interactions/index.js';
import { limits } from '../domain/limits.js';
import { modalContent } from '../domain/messages/index.js';
import { EditAnswerBody, SendAnswerBody } from './message-body.js';

const text = (min: number, max: number) =>
  plainText().refine(
    (given) => given.length >= min && characters(given) <= max,
    fault('BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`),
  );

const choiceName = text(limits.choiceName.min, limits.choiceName.max);

/** Accepts unknown locales. Otherwise one of them would hide all choices from the user who is typing. */
const Choice = z
  .object({
    name: choiceName,
    name_localizations: maybe(z.record(z.string(), choiceName.nullable())),
    value: z.union([text(0, limits.choiceValue), z.number(), z.bigint().transform(Number)]),
  })
  .transform(({ name, name_localizations: localized, value }): OfferedChoice => {
    const named = Object.entries(localized ?? {}).filter((entry): entry is [string, string] => entry[1] !== null);
    return { name, ...(localized ? { name_localizations: Object.fromEntries(named) } : {}), value };
  });

const Flags = z.object({ flags: maybe(z.number().int().min(0)) });

/**
 * First response, without types for PING, activities and paid features (Discord's documentation, Receiving and
 * Responding).
 */
export const InteractionCallback = z.discriminatedUnion(
  'type',
  [
    z
      .object({ type: z.literal(Type.ChannelMessageWithSource), data: SendAnswerBody })
      .transform(({ type, data }): Callback => ({ type, message: data })),
    z
      .object({ type: z.literal(Type.DeferredChannelMessageWithSource), data: maybe(Flags) })
      .transform(({ type, data }): Callback => ({ type, flags: data?.flags ?? 0 })),
    z.object({ type: z.literal(Type.DeferredMessageUpdate) }).transform(({ type }): Callback => ({ type })),
    z
      .object({ type: z.literal(Type.UpdateMessage), data: maybe(EditAnswerBody) })
      .transform(({ type, data }): Callback => ({ type, edit: data ?? {} })),
    z
      .object({
        type: z.literal(Type.ApplicationCommandAutocompleteResult),
        data: z.object({ choices: maybe(z.array(Choice).max(limits.choicesPerOption)) }),
      })
      .transform(({ type, data }): Callback => ({ type, choices: data.choices ?? [] })),
    z
      .object({ type: z.literal(Type.Modal), data: modalContent })
      .transform(({ type, data }): Callback => ({ type, modal: data })),
  ],
  fault('BASE_TYPE_CHOICES', 'Must be 4 (message), 5 or 6 (deferred), 7 (update), 8 (autocomplete) or 9 (modal).'),
);

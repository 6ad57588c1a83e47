import { InteractionResponseType as Type } from 'discord-api-types/v10';
import { z } from 'zod';
import { fault, maybe, plainText } from '../domain/input.js';
import type { Callback, OfferedChoice } from '../domain/interactions/index.js';
import { modalContent } from '../domain/messages/index.js';
import { EditAnswerBody, SendAnswerBody } from './message-body.js';

/** The most choices an autocompletion offers, and how long their names and values may be. */
const CHOICES = 25;
const CHOICE_LENGTH = 100;

const text = (min: number) => plainText().pipe(z.string().min(min).max(CHOICE_LENGTH));

const Choice = z
  .object({
    name: text(1),
    name_localizations: maybe(z.record(z.string(), text(1))),
    value: z.union([text(0), z.number()]),
  })
  .transform(
    ({ name, name_localizations: localized, value }): OfferedChoice => ({
      name,
      ...(localized ? { name_localizations: localized } : {}),
      value,
    }),
  );

const Flags = z.object({ flags: maybe(z.number().int().min(0)) });

/**
 * A first answer to an interaction (Discord's documentation, Receiving and Responding). Those that only answer a PING, or belong to
 * activities and paid features, are none.
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
        data: z.object({ choices: maybe(z.array(Choice).max(CHOICES)) }),
      })
      .transform(({ type, data }): Callback => ({ type, choices: data.choices ?? [] })),
    z
      .object({ type: z.literal(Type.Modal), data: modalContent })
      .transform(({ type, data }): Callback => ({ type, modal: data })),
  ],
  fault(
    'BASE_TYPE_CHOICES',
    'Must be one of 4 (message), 5 and 6 (deferred), 7 (update), 8 (autocompletion) and 9 (modal).',
  ),
);

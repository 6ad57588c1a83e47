import {
  type ApplicationCommandOptionType,
  type ApplicationCommandType,
  type ApplicationIntegrationType,
  type ChannelType,
  type InteractionContextType,
  Locale,
  type LocalizationMap,
} from 'discord-api-types/v10';
import {
  type CommandChoice,
  type CommandOption,
  type CommandRecord,
  isInDirectMessages,
  scopeOf,
} from '../domain/commands/index.js';

/** All translations, or only that for `locale`. A null locale selects none. */
export type Translations = 'all' | { locale: Locale | null };

interface WireName {
  name: string;
  name_localized?: string;
  name_localizations?: LocalizationMap | null;
}

interface WireTexts extends WireName {
  description: string;
  description_localized?: string;
  description_localizations?: LocalizationMap | null;
}

interface WireChoice extends WireName {
  value: string | number;
}

export interface WireOption extends WireTexts {
  type: ApplicationCommandOptionType;
  required?: boolean;
  choices?: WireChoice[];
  options?: WireOption[];
  channel_types?: ChannelType[];
  min_value?: number;
  max_value?: number;
  min_length?: number;
  max_length?: number;
  autocomplete?: boolean;
  file_types?: string[];
}

/** See Discord's documentation, Application Command Object. */
export interface WireCommand extends WireTexts {
  id: string;
  application_id: string;
  /** Only for guild commands. */
  guild_id?: string;
  version: string;
  type: ApplicationCommandType;
  default_member_permissions: string | null;
  nsfw: boolean;
  /** Absent if empty. */
  options?: WireOption[];
  /** This field and the next two are for global commands only. */
  integration_types?: ApplicationIntegrationType[];
  contexts?: InteractionContextType[] | null;
  dm_permission?: boolean;
}

export function renderCommand(command: CommandRecord, translations: Translations = 'all'): WireCommand {
  const options = command.options.map((option) => renderOption(option, translations));
  return {
    id: String(command.id),
    application_id: String(command.applicationId),
    version: String(command.version),
    default_member_permissions: command.defaultMemberPermissions,
    type: command.type,
    name: command.name,
    ...nameIn(translations, command.nameLocalizations),
    description: command.description,
    ...descriptionIn(translations, command.descriptionLocalizations),
    ...placeOf(command),
    ...(options.length > 0 ? { options } : {}),
    nsfw: command.nsfw,
  };
}

function placeOf(command: CommandRecord): Partial<WireCommand> {
  const { guildId } = scopeOf(command);
  if (guildId !== null) return { guild_id: String(guildId) };
  const { integrationTypes, contexts } = command;
  return { integration_types: integrationTypes, contexts, dm_permission: isInDirectMessages(contexts) };
}

function renderOption(option: CommandOption, translations: Translations): WireOption {
  const { name_localizations: names, description_localizations: descriptions, choices, options, ...facts } = option;
  return {
    ...facts,
    ...(names ? nameIn(translations, names) : {}),
    ...(descriptions ? descriptionIn(translations, descriptions) : {}),
    ...(choices ? { choices: choices.map((choice) => renderChoice(choice, translations)) } : {}),
    ...(options ? { options: options.map((inner) => renderOption(inner, translations)) } : {}),
  };
}

function renderChoice({ name_localizations: names, ...choice }: CommandChoice, translations: Translations): WireChoice {
  return { ...choice, ...(names ? nameIn(translations, names) : {}) };
}

function nameIn(translations: Translations, names: LocalizationMap | null): Partial<WireName> {
  if (translations === 'all') return { name_localizations: names };
  const name = translated(names, translations.locale);
  return name === null ? {} : { name_localized: name };
}

function descriptionIn(translations: Translations, descriptions: LocalizationMap | null): Partial<WireTexts> {
  if (translations === 'all') return { description_localizations: descriptions };
  const description = translated(descriptions, translations.locale);
  return description === null ? {} : { description_localized: description };
}

/** See Discord's documentation, Locale fallbacks. */
const FALLBACKS: Partial<Record<Locale, Locale>> = {
  [Locale.EnglishUS]: Locale.EnglishGB,
  [Locale.EnglishGB]: Locale.EnglishUS,
  [Locale.SpanishLATAM]: Locale.SpanishES,
};

/** Null if the untranslated text applies. */
export function translated(texts: LocalizationMap | null | undefined, locale: Locale | null): string | null {
  if (!texts || locale === null) return null;
  const fallback = FALLBACKS[locale];
  return texts[locale] ?? (fallback === undefined ? null : texts[fallback]) ?? null;
}

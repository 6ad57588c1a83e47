import type {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  InteractionContextType,
  LocalizationMap,
} from 'discord-api-types/v10';
import type { ApplicationCommand } from '../../infra/database/index.js';

/** The scope of commands that are everywhere, in place of a guild's id. */
export const GLOBAL_SCOPE = 0n;

export interface CommandChoice {
  name: string;
  name_localizations?: LocalizationMap | null;
  value: string | number;
}

/** An option of a command, stored and shown as it was parsed: a wire shape by nature. What is not stated is absent. */
export interface CommandOption {
  type: ApplicationCommandOptionType;
  name: string;
  name_localizations?: LocalizationMap | null;
  description: string;
  description_localizations?: LocalizationMap | null;
  required?: boolean;
  choices?: CommandChoice[];
  /** Of a subcommand or a group. */
  options?: CommandOption[];
  channel_types?: ChannelType[];
  min_value?: number;
  max_value?: number;
  min_length?: number;
  max_length?: number;
  autocomplete?: boolean;
  file_types?: string[];
}

/** The types that commands may have: there are no activities to be entered. */
export type CommandType = Exclude<ApplicationCommandType, ApplicationCommandType.PrimaryEntryPoint>;

/** A command as it is asked for. */
export interface CommandBody {
  type: CommandType;
  name: string;
  nameLocalizations: LocalizationMap | null;
  /** Empty for an entry of a context menu. */
  description: string;
  descriptionLocalizations: LocalizationMap | null;
  options: CommandOption[];
  defaultMemberPermissions: string | null;
  nsfw: boolean;
  /** Undefined where the application's own install contexts decide. */
  integrationTypes: ApplicationIntegrationType[] | undefined;
  /** Null for all of them. */
  contexts: InteractionContextType[] | null;
}

/** A command as it is stored, with its columns of JSON as what was stored there. */
export type CommandRecord = Omit<
  ApplicationCommand,
  'type' | 'options' | 'nameLocalizations' | 'descriptionLocalizations' | 'integrationTypes' | 'contexts'
> & {
  type: CommandType;
  options: CommandOption[];
  nameLocalizations: LocalizationMap | null;
  descriptionLocalizations: LocalizationMap | null;
  integrationTypes: ApplicationIntegrationType[];
  /** Null for all of them. */
  contexts: InteractionContextType[] | null;
};

/** A row as a record: what the columns of JSON hold was put there by the registry. */
export function commandRecord(row: ApplicationCommand): CommandRecord {
  return row as unknown as CommandRecord;
}

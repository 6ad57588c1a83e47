import type {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  InteractionContextType,
  LocalizationMap,
} from 'discord-api-types/v10';
import type { ApplicationCommand } from '../../infra/database/index.js';

/** Stands for a guild's id. */
export const GLOBAL_SCOPE = 0n;

export interface CommandChoice {
  name: string;
  name_localizations?: LocalizationMap | null;
  value: string | number;
}

/** Wire format, as stored. */
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

/** Excludes entry points, because there are no activities. */
export type CommandType = Exclude<ApplicationCommandType, ApplicationCommandType.PrimaryEntryPoint>;

export interface CommandBody {
  type: CommandType;
  name: string;
  nameLocalizations: LocalizationMap | null;
  /** Empty for a user or message command. */
  description: string;
  descriptionLocalizations: LocalizationMap | null;
  options: CommandOption[];
  defaultMemberPermissions: string | null;
  nsfw: boolean;
  /** If undefined, the application's install contexts apply. */
  integrationTypes: ApplicationIntegrationType[] | undefined;
  /** Null for all contexts. */
  contexts: InteractionContextType[] | null;
}

export type CommandRecord = Omit<
  ApplicationCommand,
  'type' | 'options' | 'nameLocalizations' | 'descriptionLocalizations' | 'integrationTypes' | 'contexts'
> & {
  type: CommandType;
  options: CommandOption[];
  nameLocalizations: LocalizationMap | null;
  descriptionLocalizations: LocalizationMap | null;
  integrationTypes: ApplicationIntegrationType[];
  /** Null for all contexts. */
  contexts: InteractionContextType[] | null;
};

export function commandRecord(row: ApplicationCommand): CommandRecord {
  return row as unknown as CommandRecord;
}

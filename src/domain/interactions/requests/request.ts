import type {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ComponentType,
  InteractionContextType,
  InteractionType,
  Locale,
} from 'discord-api-types/v10';
import type { Application, Channel, Role, User } from '../../../infra/database/index.js';
import type { StagedBlob } from '../../../infra/storage/blobs.js';
import type { ChannelAccess } from '../../channels/access.js';
import type { IntegrationOwners } from '../../command-permissions/record.js';
import type { FileMetadata } from '../../kept-files.js';
import type { MemberRecord } from '../../members/record.js';
import type { MessageRecord } from '../../messages/record.js';

type Parameter = Exclude<
  ApplicationCommandOptionType,
  ApplicationCommandOptionType.Subcommand | ApplicationCommandOptionType.SubcommandGroup
>;

/** A focused value is the typed text, whatever the option's type. */
export type GivenParameter = { name: string; type: Parameter; value: string | number | boolean; focused?: true };

export type ChosenSubcommand = {
  name: string;
  type: ApplicationCommandOptionType.Subcommand | ApplicationCommandOptionType.SubcommandGroup;
  options: GivenOption[];
};

export type GivenOption = GivenParameter | ChosenSubcommand;

/** `guild_id` is set for a guild command. */
export type CommandData = {
  id: string;
  name: string;
  type: ApplicationCommandType;
  guild_id?: string;
  options?: GivenOption[];
  /** Target user or message of a context menu command. */
  target_id?: string;
};

/** `values` is set for selects. */
export type ComponentData = { component_type: ComponentType; custom_id: string; id: number; values?: string[] };

/** Has `value` or `values`, depending on the type. */
export type FilledInput = {
  type: ComponentType;
  id?: number;
  custom_id: string;
  value?: string | boolean | null;
  values?: string[];
};

/** A row with inputs, a label with one input, or text. */
export type FilledPart = { type: ComponentType; id?: number; components?: FilledInput[]; component?: FilledInput };

export type ModalData = { custom_id: string; components: FilledPart[] };

export interface ChannelShown {
  channel: Channel;
  lastMessageId: bigint | null;
  /** Permissions of the caller and of the bot in the channel. */
  permissions: bigint;
  appPermissions: bigint;
  /** Only for a direct channel, without the application's bot. */
  recipients?: User[];
}

/** Permissions apply to the interaction's channel. */
export interface MemberShown {
  member: MemberRecord;
  permissions: bigint;
}

/** Stored with the interaction. */
export interface FileShown {
  file: FileMetadata;
  blob: StagedBlob;
}

/** The entities that ids in the data refer to. */
export interface Resolved {
  users: User[];
  /** The `users` who are members of the guild. */
  members: MemberShown[];
  roles: Role[];
  channels: ChannelShown[];
  messages: MessageRecord[];
  files: FileShown[];
}

export interface InteractionContext {
  application: Application & { bot: User };
  user: User;
  place: ChannelAccess;
  channel: ChannelShown;
  member: MemberRecord | null;
  resolved: Resolved;
  owners: IntegrationOwners;
  /** Whether only the caller may see answers. */
  ephemeralOnly: boolean;
  appPermissions: bigint;
  locale: Locale;
  guildLocale: Locale;
  context: InteractionContextType;
}

interface OfCommand<Type extends InteractionType> extends InteractionContext {
  type: Type;
  /** Includes a chosen subcommand: `name group sub`. */
  name: string;
  commandId: bigint;
  data: CommandData;
  message: null;
  parentId: null;
}

interface OfComponent extends InteractionContext {
  type: InteractionType.MessageComponent;
  name: string;
  commandId: null;
  data: ComponentData;
  message: MessageRecord;
  parentId: null;
}

interface OfModal extends InteractionContext {
  type: InteractionType.ModalSubmit;
  name: string;
  commandId: null;
  data: ModalData;
  /** Null if no component led to the modal or its message was deleted. */
  message: MessageRecord | null;
  /** The interaction that was answered with the modal. */
  parentId: bigint;
}

/**
 * A validated interaction. `data` has the wire format without `resolved`. `name` is a command's name or a custom id.
 */
export type InteractionRequest =
  | OfCommand<InteractionType.ApplicationCommand>
  | OfCommand<InteractionType.ApplicationCommandAutocomplete>
  | OfComponent
  | OfModal;

import type {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ComponentType,
  InteractionContextType,
  InteractionType,
  Locale,
} from 'discord-api-types/v10';
import type { StagedBlob } from '../../infra/blobs.js';
import type { Application, Channel, Role, User } from '../../infra/database/index.js';
import type { Place } from '../channels/place.js';
import type { IntegrationOwners } from '../command-permissions/record.js';
import type { FileFacts } from '../kept-files.js';
import type { MemberRecord } from '../members/record.js';
import type { MessageRecord } from '../messages/record.js';

type Parameter = Exclude<
  ApplicationCommandOptionType,
  ApplicationCommandOptionType.Subcommand | ApplicationCommandOptionType.SubcommandGroup
>;

/** A parameter that was given. The focused one of an autocompletion is text as it was typed, whatever the option's type. */
export type GivenParameter = { name: string; type: Parameter; value: string | number | boolean; focused?: true };

/** A subcommand or a group that was chosen, with what was given to it. */
export type ChosenSubcommand = {
  name: string;
  type: ApplicationCommandOptionType.Subcommand | ApplicationCommandOptionType.SubcommandGroup;
  options: GivenOption[];
};

export type GivenOption = GivenParameter | ChosenSubcommand;

/** What is said of the command, and of what it was run with. `guild_id` is there for a command of one guild. */
export type CommandData = {
  id: string;
  name: string;
  type: ApplicationCommandType;
  guild_id?: string;
  options?: GivenOption[];
  /** The user or the message that a context menu was opened on. */
  target_id?: string;
};

/** `values` is there for selects. */
export type ComponentData = { component_type: ComponentType; custom_id: string; id: number; values?: string[] };

/** One input of a modal, as it was filled in: `value` or `values`, by its type. */
export type FilledInput = {
  type: ComponentType;
  id?: number;
  custom_id: string;
  value?: string | boolean | null;
  values?: string[];
};

/** A part of a modal: a row with inputs, a label with its one, or text. */
export type FilledPart = { type: ComponentType; id?: number; components?: FilledInput[]; component?: FilledInput };

export type ModalData = { custom_id: string; components: FilledPart[] };

/** A channel that an interaction names. */
export interface ChannelShown {
  channel: Channel;
  lastMessageId: bigint | null;
  /** What the caller may do there, and what the application's bot may. */
  permissions: bigint;
  appPermissions: bigint;
  /** Of a direct channel: who is in it beside the application's bot. */
  recipients?: User[];
}

/** A member that an interaction names, and what they may do in its channel. */
export interface MemberShown {
  member: MemberRecord;
  permissions: bigint;
}

/** A file that was given, which is kept once the interaction is stored. */
export interface FileShown {
  file: FileFacts;
  blob: StagedBlob;
}

/** Everything that ids in an interaction's data stand for. */
export interface Resolved {
  users: User[];
  /** Those of the users who are members of the guild. */
  members: MemberShown[];
  roles: Role[];
  channels: ChannelShown[];
  messages: MessageRecord[];
  files: FileShown[];
}

/** All that an interaction says beside what kind it is, and its data. */
export interface Circumstances {
  application: Application & { bot: User };
  user: User;
  place: Place;
  channel: ChannelShown;
  member: MemberRecord | null;
  resolved: Resolved;
  owners: IntegrationOwners;
  /** Whether answers are seen by the caller alone. */
  ephemeralOnly: boolean;
  /** What the application's bot may do in the channel. */
  appPermissions: bigint;
  locale: Locale;
  guildLocale: Locale;
  context: InteractionContextType;
}

interface OfCommand<Type extends InteractionType> extends Circumstances {
  type: Type;
  /** With the subcommand, where one was chosen: `group sub`. */
  name: string;
  commandId: bigint;
  data: CommandData;
  message: null;
  parentId: null;
}

interface OfComponent extends Circumstances {
  type: InteractionType.MessageComponent;
  name: string;
  commandId: null;
  data: ComponentData;
  /** The message that the component stands in. */
  message: MessageRecord;
  parentId: null;
}

interface OfModal extends Circumstances {
  type: InteractionType.ModalSubmit;
  name: string;
  commandId: null;
  data: ModalData;
  /** The message whose component led to the modal, where one did and it is still there. */
  message: MessageRecord | null;
  /** The interaction that the modal answered. */
  parentId: bigint;
}

/**
 * What somebody asked of an application, checked and complete: what is stored and delivered. `data` is the wire's, without `resolved`;
 * `name` is the name of the command, or the custom id of the component or the modal.
 */
export type InteractionRequest =
  | OfCommand<InteractionType.ApplicationCommand>
  | OfCommand<InteractionType.ApplicationCommandAutocomplete>
  | OfComponent
  | OfModal;

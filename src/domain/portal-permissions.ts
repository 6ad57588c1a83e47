/** The most permissive first. */
export const PORTAL_ROLES = ['OWNER', 'ADMIN', 'DEVELOPER', 'READ_ONLY'] as const;

export type PortalRole = (typeof PORTAL_ROLES)[number];

const EVERYBODY: readonly PortalRole[] = PORTAL_ROLES;
const DEVELOPERS: readonly PortalRole[] = ['OWNER', 'ADMIN', 'DEVELOPER'];
const MANAGERS: readonly PortalRole[] = ['OWNER', 'ADMIN'];
const OWNER: readonly PortalRole[] = ['OWNER'];
const NOT_THE_OWNER: readonly PortalRole[] = ['ADMIN', 'DEVELOPER', 'READ_ONLY'];

/**
 * By role in the owning team (service description, section 2, Roles). The personal owner, and the person who
 * transferred the application to the team, is OWNER.
 */
export const APPLICATION_PERMISSIONS = {
  view: EVERYBODY,
  viewTesters: EVERYBODY,
  viewAuditLog: EVERYBODY,
  viewInteractions: EVERYBODY,
  updateSettings: DEVELOPERS,
  resetClientSecret: DEVELOPERS,
  resetBotToken: DEVELOPERS,
  manageCommands: DEVELOPERS,
  manageEmojis: DEVELOPERS,
  manageWebhooks: DEVELOPERS,
  manageTesters: MANAGERS,
  transfer: MANAGERS,
  delete: OWNER,
} satisfies Record<string, readonly PortalRole[]>;

/** Service description, section 2, Roles. */
export const TEAM_PERMISSIONS = {
  view: EVERYBODY,
  viewAuditLog: EVERYBODY,
  update: MANAGERS,
  inviteMember: MANAGERS,
  revokeInvitation: MANAGERS,
  changeRole: MANAGERS,
  removeMember: MANAGERS,
  receiveApplication: MANAGERS,
  leave: NOT_THE_OWNER,
  transferOwnership: OWNER,
  delete: OWNER,
} satisfies Record<string, readonly PortalRole[]>;

export type ApplicationOperation = keyof typeof APPLICATION_PERMISSIONS;

export type TeamOperation = keyof typeof TEAM_PERMISSIONS;

export const APPLICATION_OPERATIONS = Object.keys(APPLICATION_PERMISSIONS) as ApplicationOperation[];

export const TEAM_OPERATIONS = Object.keys(TEAM_PERMISSIONS) as TeamOperation[];

export function mayWithApplication(role: PortalRole, operation: ApplicationOperation): boolean {
  return APPLICATION_PERMISSIONS[operation].includes(role);
}

export function mayWithTeam(role: PortalRole, operation: TeamOperation): boolean {
  return TEAM_PERMISSIONS[operation].includes(role);
}

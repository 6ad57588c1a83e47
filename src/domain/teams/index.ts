export { accessTeam, ownTeamRoles, roleInTeam, visibleTeams } from './access.js';
export { createTeam } from './create.js';
export { deleteTeam } from './delete.js';
export { getTeam, listTeams, type TeamPerson, type TeamRecord } from './get.js';
export { acceptTeamInvitation, declineTeamInvitation, removeOrRevoke, revokeTeamInvitation } from './invitations.js';
export { inviteTeamMember } from './invite.js';
export { removeTeamMember, transferTeamOwnership, updateTeamMember } from './members.js';
export { updateTeam } from './update.js';

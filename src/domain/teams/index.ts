export { accessTeam, ownTeamIds, ownTeamRoles, roleInTeam } from './access.js';
export { createTeam, TeamName } from './create.js';
export { deleteTeam } from './delete.js';
export { getTeam, listTeams, type TeamPeople, type TeamRecord } from './get.js';
export { acceptTeamInvitation, declineTeamInvitation, removeOrRevoke, revokeTeamInvitation } from './invitations.js';
export { inviteTeamMember } from './invite.js';
export { GivenRole, removeTeamMember, transferTeamOwnership, updateTeamMember } from './members.js';
export { updateTeam } from './update.js';

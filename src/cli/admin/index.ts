import type { Command } from 'commander';
import { examples } from '../examples.js';
import { addApplicationsCommand } from './applications.js';
import { addAuditCommand } from './audit.js';
import { addBoxesCommand } from './boxes.js';
import { addInvitesCommand } from './invites.js';
import { addLimitsCommand } from './limits.js';
import { addPeopleCommand } from './people.js';
import { addServersCommand } from './servers.js';

export function addAdminCommand(program: Command): void {
  const admin = program
    .command('admin')
    .summary('act as an operator of a running instance')
    .description(
      'Acts as an operator of a running instance. On its machine, run it as the user of the instance, with the same ' +
        'DATA_DIR. Elsewhere, set CAUSEWAY_URL, and CAUSEWAY_TOKEN to a personal token for operators. It ends with 0 if ' +
        'the action is done, with 1 if it was refused or failed, and with 2 for a usage error.',
    )
    .addHelpText(
      'after',
      examples(
        ['causeway admin people list', 'list people'],
        ['causeway admin people suspend ada --reason spam', 'show what it does, ask, and suspend a person'],
        ['causeway admin servers list --json', 'list servers as JSON'],
      ),
    );
  addPeopleCommand(admin);
  addServersCommand(admin);
  addApplicationsCommand(admin);
  addBoxesCommand(admin);
  addInvitesCommand(admin);
  addLimitsCommand(admin);
  addAuditCommand(admin);
}

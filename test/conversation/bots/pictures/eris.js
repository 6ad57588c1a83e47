// Prints the URL of the bot's avatar in stock eris. Eris speaks https only; this agent connects without TLS.

import { Agent } from 'node:https';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { Client } from 'eris';

const require = createRequire(import.meta.url);
require('eris/lib/rest/Endpoints').CDN_URL = process.env.CDN_URL;
const { hostname, port } = new URL(process.env.API_URL);
const agent = new Agent();
agent.createConnection = () => connect(Number(port), hostname);

const client = new Client(`Bot ${process.env.BOT_TOKEN}`, { intents: [], rest: { domain: hostname, agent } });
client.once('ready', () => console.log(`picture ${client.user.avatarURL}`));
await client.connect();

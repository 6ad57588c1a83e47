-- CreateIndex
CREATE INDEX "Role_applicationId_idx" ON "Role"("applicationId");

-- The schema cannot state partial indexes. A later migration that makes the table "Message" anew must make them again.
-- Pages of a channel for all who read it, without the ephemeral messages in between.
CREATE INDEX "Message_public_channelId_id_idx" ON "Message"("channelId", "id") WHERE "visibleToId" IS NULL;

-- Pages of a channel's ephemeral messages for one person.
CREATE INDEX "Message_ephemeral_channelId_visibleToId_id_idx" ON "Message"("channelId", "visibleToId", "id") WHERE "visibleToId" IS NOT NULL;

-- Ephemeral messages that have expired.
CREATE INDEX "Message_ephemeral_id_idx" ON "Message"("id") WHERE "visibleToId" IS NOT NULL;

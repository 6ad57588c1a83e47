-- CreateTable
CREATE TABLE "KeptTimeout" (
    "guildId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,
    "until" DATETIME NOT NULL,

    PRIMARY KEY ("guildId", "userId"),
    CONSTRAINT "KeptTimeout_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "Guild" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "KeptTimeout_until_idx" ON "KeptTimeout"("until");

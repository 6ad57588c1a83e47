-- CreateTable
CREATE TABLE "KeptTimeout" (
    "guildId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,
    "until" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "KeptTimeout_pkey" PRIMARY KEY ("guildId","userId")
);

-- CreateIndex
CREATE INDEX "KeptTimeout_until_idx" ON "KeptTimeout"("until");

-- AddForeignKey
ALTER TABLE "KeptTimeout" ADD CONSTRAINT "KeptTimeout_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "Guild"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "BoxMeasure" (
    "boxId" BIGINT NOT NULL,
    "hour" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "addedUpToMs" INTEGER NOT NULL,
    "count" INTEGER NOT NULL,

    PRIMARY KEY ("boxId", "hour", "outcome", "addedUpToMs"),
    CONSTRAINT "BoxMeasure_boxId_fkey" FOREIGN KEY ("boxId") REFERENCES "Box" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "BoxMeasure_hour_idx" ON "BoxMeasure"("hour");

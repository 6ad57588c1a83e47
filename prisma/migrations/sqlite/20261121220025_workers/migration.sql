-- CreateTable
CREATE TABLE "Worker" (
    "number" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "owner" TEXT,
    "until" DATETIME NOT NULL,
    "lastMs" BIGINT NOT NULL
);

BEGIN TRANSACTION;
CREATE TABLE application_versions (
    version_id TEXT NOT NULL PRIMARY KEY,
    version_name TEXT NOT NULL UNIQUE,
    version_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    created_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
, "application_name" TEXT DEFAULT NULL);
CREATE TABLE dbos_migrations (version INTEGER NOT NULL PRIMARY KEY);
INSERT INTO "dbos_migrations" VALUES(125);
CREATE TABLE notifications (
    message_uuid TEXT NOT NULL DEFAULT (hex(randomblob(16))) PRIMARY KEY,
    destination_uuid TEXT NOT NULL,
    topic TEXT,
    message TEXT NOT NULL,
    created_at_epoch_ms INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000), "serialization" TEXT DEFAULT NULL, "consumed" BOOLEAN NOT NULL DEFAULT FALSE, consumed_by_function_id INTEGER,
    FOREIGN KEY (destination_uuid) REFERENCES workflow_status(workflow_uuid) 
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE "operation_outputs" (
    workflow_uuid TEXT NOT NULL,
    function_id INTEGER NOT NULL,
    function_name TEXT NOT NULL DEFAULT '',
    output TEXT,
    error TEXT,
    child_workflow_id TEXT,
    started_at_epoch_ms INTEGER,
    completed_at_epoch_ms INTEGER,
    serialization TEXT,
    application_name TEXT DEFAULT NULL,
    retention_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    PRIMARY KEY (workflow_uuid, function_id)
);
CREATE TABLE queues (
    queue_id TEXT PRIMARY KEY DEFAULT (hex(randomblob(16))),
    name TEXT NOT NULL UNIQUE,
    concurrency INTEGER,
    worker_concurrency INTEGER,
    rate_limit_max INTEGER,
    rate_limit_period_sec REAL,
    priority_enabled BOOLEAN NOT NULL DEFAULT FALSE,
    partition_queue BOOLEAN NOT NULL DEFAULT FALSE,
    polling_interval_sec REAL NOT NULL DEFAULT 1.0,
    created_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    updated_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
, "application_name" TEXT DEFAULT NULL, "partition_concurrency" INTEGER DEFAULT NULL, "partition_worker_concurrency" INTEGER DEFAULT NULL, "partition_rate_limit_max" INTEGER DEFAULT NULL, "partition_rate_limit_period_sec" REAL DEFAULT NULL);
CREATE TABLE streams (
    workflow_uuid TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    "offset" INTEGER NOT NULL, function_id INTEGER NOT NULL DEFAULT 0, "serialization" TEXT DEFAULT NULL,
    PRIMARY KEY (workflow_uuid, key, "offset"),
    FOREIGN KEY (workflow_uuid) REFERENCES workflow_status(workflow_uuid) 
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE workflow_events (
    workflow_uuid TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL, "serialization" TEXT DEFAULT NULL,
    PRIMARY KEY (workflow_uuid, key),
    FOREIGN KEY (workflow_uuid) REFERENCES workflow_status(workflow_uuid) 
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE workflow_events_history (
    workflow_uuid TEXT NOT NULL,
    function_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL, "serialization" TEXT DEFAULT NULL,
    PRIMARY KEY (workflow_uuid, function_id, key),
    FOREIGN KEY (workflow_uuid) REFERENCES workflow_status(workflow_uuid)
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE workflow_input (
    workflow_uuid TEXT NOT NULL PRIMARY KEY,
    inputs TEXT,
    retention_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
);
INSERT INTO "workflow_input" VALUES('819e8d673d9498f411e07e6335ada97cef3ff8510766749dad98cda74b2628de:1:100','{"namedArgs":{},"positionalArgs":["819e8d673d9498f411e07e6335ada97cef3ff8510766749dad98cda74b2628de",1]}',1795329938000);
INSERT INTO "workflow_input" VALUES('54880ea3df8aea50937cb7ce5552fd254e485d0d3ec40a74a9fa1f97fc00f42b:1:100','{"namedArgs":{},"positionalArgs":["54880ea3df8aea50937cb7ce5552fd254e485d0d3ec40a74a9fa1f97fc00f42b",1]}',1795329938000);
INSERT INTO "workflow_input" VALUES('520d9c518562e5efa8818a05017f3dba1a4ebdf65a6bda045e2e1557ee161432:1:100','{"namedArgs":{},"positionalArgs":["520d9c518562e5efa8818a05017f3dba1a4ebdf65a6bda045e2e1557ee161432",1]}',1795329938000);
INSERT INTO "workflow_input" VALUES('7f873a18853acac83903a0a463bfed8a669bae171eb14e9b48f5a2470acf91b5:1:100','{"namedArgs":{},"positionalArgs":["7f873a18853acac83903a0a463bfed8a669bae171eb14e9b48f5a2470acf91b5",1]}',1795329938000);
INSERT INTO "workflow_input" VALUES('dce047305fe4a928dd0f75b021abc02cc193d5ca8b737d90efec6489c78f0fb9:1:100','{"namedArgs":{},"positionalArgs":["dce047305fe4a928dd0f75b021abc02cc193d5ca8b737d90efec6489c78f0fb9",1]}',1795329938000);
INSERT INTO "workflow_input" VALUES('5f4c0d2ea7584a36066d9c3c9338134f38dfb7d7dfc94d0ef4cdcd32ce1b6dbb:1:100','{"namedArgs":{},"positionalArgs":["5f4c0d2ea7584a36066d9c3c9338134f38dfb7d7dfc94d0ef4cdcd32ce1b6dbb",1]}',1795329938000);
INSERT INTO "workflow_input" VALUES('dce047305fe4a928dd0f75b021abc02cc193d5ca8b737d90efec6489c78f0fb9:9bdc9f769193:callback:1:1','{"namedArgs":{},"positionalArgs":["9bdc9f769193","dce047305fe4a928dd0f75b021abc02cc193d5ca8b737d90efec6489c78f0fb9",1,1]}',1795329938000);
CREATE TABLE workflow_output (
    workflow_uuid TEXT NOT NULL PRIMARY KEY,
    output TEXT,
    error TEXT,
    retention_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
);
CREATE TABLE workflow_schedules (
    schedule_id TEXT PRIMARY KEY,
    schedule_name TEXT NOT NULL UNIQUE,
    workflow_name TEXT NOT NULL,
    workflow_class_name TEXT,
    schedule TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'ACTIVE',
    context TEXT NOT NULL
, "last_fired_at" TEXT DEFAULT NULL, "automatic_backfill" BOOLEAN NOT NULL DEFAULT FALSE, "cron_timezone" TEXT DEFAULT NULL, "queue_name" TEXT DEFAULT NULL, "application_name" TEXT DEFAULT NULL);
CREATE TABLE workflow_status (
    workflow_uuid TEXT PRIMARY KEY,
    status TEXT,
    name TEXT,
    authenticated_user TEXT,
    assumed_role TEXT,
    authenticated_roles TEXT,
    request TEXT,
    output TEXT,
    error TEXT,
    executor_id TEXT,
    created_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    updated_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    application_version TEXT,
    application_id TEXT,
    class_name TEXT DEFAULT NULL,
    config_name TEXT DEFAULT NULL,
    recovery_attempts INTEGER DEFAULT 0,
    queue_name TEXT,
    workflow_timeout_ms INTEGER,
    workflow_deadline_epoch_ms INTEGER,
    inputs TEXT,
    started_at_epoch_ms INTEGER,
    deduplication_id TEXT,
    priority INTEGER NOT NULL DEFAULT 0
, queue_partition_key TEXT, forked_from TEXT, "owner_xid" TEXT DEFAULT NULL, "parent_workflow_id" TEXT DEFAULT NULL, "serialization" TEXT DEFAULT NULL, "delay_until_epoch_ms" BIGINT DEFAULT NULL, "was_forked_from" BOOLEAN NOT NULL DEFAULT FALSE, "rate_limited" BOOLEAN NOT NULL DEFAULT FALSE, "completed_at" BIGINT, "attributes" TEXT, "schedule_name" TEXT, "debounce_deadline_epoch_ms" BIGINT DEFAULT NULL, "is_debounced" BOOLEAN NOT NULL DEFAULT FALSE, "application_name" TEXT DEFAULT NULL, "creator_xid" TEXT DEFAULT NULL);
INSERT INTO "workflow_status" VALUES('819e8d673d9498f411e07e6335ada97cef3ff8510766749dad98cda74b2628de:1:100','ENQUEUED','prove',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795329938000,1795329938000,NULL,NULL,NULL,NULL,0,'proofs',NULL,NULL,NULL,NULL,NULL,100,NULL,NULL,NULL,NULL,'portable_json',NULL,0,0,NULL,'null',NULL,NULL,0,'zkagent-prover','14aabed8-ed06-4a6b-80be-b448ab95bca0');
INSERT INTO "workflow_status" VALUES('54880ea3df8aea50937cb7ce5552fd254e485d0d3ec40a74a9fa1f97fc00f42b:1:100','ENQUEUED','prove',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795329938000,1795329938000,NULL,NULL,NULL,NULL,0,'proofs',NULL,NULL,NULL,NULL,NULL,100,NULL,NULL,NULL,NULL,'portable_json',NULL,0,0,NULL,'null',NULL,NULL,0,'zkagent-prover','3f12b139-0dff-4ff0-915e-aabfdc521ba2');
INSERT INTO "workflow_status" VALUES('520d9c518562e5efa8818a05017f3dba1a4ebdf65a6bda045e2e1557ee161432:1:100','ENQUEUED','prove',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795329938000,1795329938000,NULL,NULL,NULL,NULL,0,'proofs',NULL,NULL,NULL,NULL,NULL,100,NULL,NULL,NULL,NULL,'portable_json',NULL,0,0,NULL,'null',NULL,NULL,0,'zkagent-prover','e0705d9c-756d-4d81-a103-616dfce45469');
INSERT INTO "workflow_status" VALUES('7f873a18853acac83903a0a463bfed8a669bae171eb14e9b48f5a2470acf91b5:1:100','ENQUEUED','prove',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795329938000,1795329938000,NULL,NULL,NULL,NULL,0,'proofs',NULL,NULL,NULL,NULL,NULL,100,NULL,NULL,NULL,NULL,'portable_json',NULL,0,0,NULL,'null',NULL,NULL,0,'zkagent-prover','7eacf169-1fd1-4507-a992-2046c578576b');
INSERT INTO "workflow_status" VALUES('dce047305fe4a928dd0f75b021abc02cc193d5ca8b737d90efec6489c78f0fb9:1:100','ENQUEUED','prove',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795329938000,1795329938000,NULL,NULL,NULL,NULL,0,'proofs',NULL,NULL,NULL,NULL,NULL,100,NULL,NULL,NULL,NULL,'portable_json',NULL,0,0,NULL,'null',NULL,NULL,0,'zkagent-prover','ba6b5978-f70d-4cfe-9f7b-139069a64540');
INSERT INTO "workflow_status" VALUES('5f4c0d2ea7584a36066d9c3c9338134f38dfb7d7dfc94d0ef4cdcd32ce1b6dbb:1:100','ENQUEUED','prove',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795329938000,1795329938000,NULL,NULL,NULL,NULL,0,'proofs',NULL,NULL,NULL,NULL,NULL,100,NULL,NULL,NULL,NULL,'portable_json',NULL,0,0,NULL,'null',NULL,NULL,0,'zkagent-prover','a48d283f-48ac-4725-b3ca-bcc91dfffb9c');
INSERT INTO "workflow_status" VALUES('dce047305fe4a928dd0f75b021abc02cc193d5ca8b737d90efec6489c78f0fb9:9bdc9f769193:callback:1:1','ENQUEUED','call back',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795329938000,1795329938000,NULL,NULL,NULL,NULL,0,'callbacks',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,'portable_json',NULL,0,0,NULL,'null',NULL,NULL,0,'zkagent-prover','7832747b-45fe-4f37-b22f-d80e9d343059');
CREATE TABLE zkagent_handle (
	key_id VARCHAR(32) NOT NULL, 
	proof_id VARCHAR(64) NOT NULL, 
	state VARCHAR(12) NOT NULL, 
	callback_url TEXT, 
	callback_state VARCHAR(12), 
	callback_number INTEGER NOT NULL, 
	deadline DOUBLE, 
	created_at DOUBLE NOT NULL, 
	PRIMARY KEY (key_id, proof_id), 
	FOREIGN KEY(proof_id) REFERENCES zkagent_proof (id) ON DELETE CASCADE
);
INSERT INTO "zkagent_handle" VALUES('9bdc9f769193','819e8d673d9498f411e07e6335ada97cef3ff8510766749dad98cda74b2628de','open',NULL,NULL,0,NULL,1.79532993800077438355e+09);
INSERT INTO "zkagent_handle" VALUES('9bdc9f769193','54880ea3df8aea50937cb7ce5552fd254e485d0d3ec40a74a9fa1f97fc00f42b','open',NULL,NULL,0,NULL,1.79532993802114796636e+09);
INSERT INTO "zkagent_handle" VALUES('9bdc9f769193','520d9c518562e5efa8818a05017f3dba1a4ebdf65a6bda045e2e1557ee161432','open',NULL,NULL,0,NULL,1.79532993802912139895e+09);
INSERT INTO "zkagent_handle" VALUES('9bdc9f769193','7f873a18853acac83903a0a463bfed8a669bae171eb14e9b48f5a2470acf91b5','open',NULL,NULL,0,NULL,1.79532993803588795662e+09);
INSERT INTO "zkagent_handle" VALUES('9bdc9f769193','dce047305fe4a928dd0f75b021abc02cc193d5ca8b737d90efec6489c78f0fb9','open','https://hooks.example.org/done','waiting',1,NULL,1.79532993804165339466e+09);
INSERT INTO "zkagent_handle" VALUES('9bdc9f769193','5f4c0d2ea7584a36066d9c3c9338134f38dfb7d7dfc94d0ef4cdcd32ce1b6dbb','open',NULL,NULL,0,NULL,1.7953299380510494709e+09);
CREATE TABLE zkagent_key (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	secret_sha256 VARCHAR(64) NOT NULL, 
	per_minute INTEGER NOT NULL, 
	unfinished INTEGER NOT NULL, 
	per_day INTEGER NOT NULL, 
	created_at DOUBLE NOT NULL, 
	revoked_at DOUBLE, 
	PRIMARY KEY (id)
);
INSERT INTO "zkagent_key" VALUES('9bdc9f769193','alice','9e4a691c735b61ec927b577619b085367c96a198f9cd1cc776c98d4fcbc25107',600,1000,20000,1.79532993798265528683e+09,NULL);
CREATE TABLE zkagent_meta (
	name VARCHAR(64) NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "zkagent_meta" VALUES('schema','1');
INSERT INTO "zkagent_meta" VALUES('secret','acc972e86e50457a76f0b8ffa6375b9c5cba51e3f07114bf4e6b94ac80e26aac');
CREATE TABLE zkagent_proof (
	id VARCHAR(64) NOT NULL, 
	circuit VARCHAR(64) NOT NULL, 
	inputs TEXT NOT NULL, 
	state VARCHAR(12) NOT NULL, 
	priority INTEGER NOT NULL, 
	generation INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	claim VARCHAR(32), 
	worker VARCHAR(64), 
	avoid VARCHAR(64), 
	batch VARCHAR(64), 
	alone BOOLEAN NOT NULL, 
	crashes INTEGER NOT NULL, 
	deaths INTEGER NOT NULL, 
	failure VARCHAR(16), 
	reason TEXT, 
	created_at DOUBLE NOT NULL, 
	queued_at DOUBLE NOT NULL, 
	started_at DOUBLE, 
	finished_at DOUBLE, 
	PRIMARY KEY (id)
);
INSERT INTO "zkagent_proof" VALUES('819e8d673d9498f411e07e6335ada97cef3ff8510766749dad98cda74b2628de','01abef7a742f3c4b13d5db0123a9648a5fe5d0b37b38836c6ebdd096e997f80a','[1,0,0,0]','done',100,1,3,NULL,'old-worker',NULL,'819e8d673d9498f411e07e6335ada97cef3ff8510766749dad98cda74b2628de',0,0,0,NULL,NULL,1.79532993799272513391e+09,1.79532993800359225275e+09,1.79532993806341767311e+09,1.795329938068688631e+09);
INSERT INTO "zkagent_proof" VALUES('54880ea3df8aea50937cb7ce5552fd254e485d0d3ec40a74a9fa1f97fc00f42b','01abef7a742f3c4b13d5db0123a9648a5fe5d0b37b38836c6ebdd096e997f80a','[2,0,0,0]','failed',100,1,3,NULL,'old-worker',NULL,'54880ea3df8aea50937cb7ce5552fd254e485d0d3ec40a74a9fa1f97fc00f42b',0,0,0,'engine','these inputs cannot be proven: No space left on device (os error 28)',1.79532993801968836786e+09,1.79532993802188372612e+09,1.79532993808581757544e+09,1.79532993808989095683e+09);
INSERT INTO "zkagent_proof" VALUES('520d9c518562e5efa8818a05017f3dba1a4ebdf65a6bda045e2e1557ee161432','01abef7a742f3c4b13d5db0123a9648a5fe5d0b37b38836c6ebdd096e997f80a','[3,0,0,0]','failed',100,1,3,NULL,'old-worker',NULL,'520d9c518562e5efa8818a05017f3dba1a4ebdf65a6bda045e2e1557ee161432',0,0,0,'input','these inputs drive an output to 99999999999999999999, which 64 bits cannot hold',1.79532993802770257001e+09,1.79532993802982735638e+09,1.79532993809562849999e+09,1.79532993809885525705e+09);
INSERT INTO "zkagent_proof" VALUES('7f873a18853acac83903a0a463bfed8a669bae171eb14e9b48f5a2470acf91b5','01abef7a742f3c4b13d5db0123a9648a5fe5d0b37b38836c6ebdd096e997f80a','[4,0,0,0]','done',100,1,3,NULL,'old-worker',NULL,'7f873a18853acac83903a0a463bfed8a669bae171eb14e9b48f5a2470acf91b5',0,0,0,NULL,NULL,1.79532993803446650499e+09,1.79532993803648734088e+09,1.79532993810294985766e+09,1.79532993810562467576e+09);
INSERT INTO "zkagent_proof" VALUES('dce047305fe4a928dd0f75b021abc02cc193d5ca8b737d90efec6489c78f0fb9','01abef7a742f3c4b13d5db0123a9648a5fe5d0b37b38836c6ebdd096e997f80a','[5,0,0,0]','done',100,1,3,NULL,'old-worker',NULL,'dce047305fe4a928dd0f75b021abc02cc193d5ca8b737d90efec6489c78f0fb9',0,0,0,NULL,NULL,1.79532993804048228263e+09,1.79532993804219985012e+09,1.79532993811630511285e+09,1.79532993811933422084e+09);
INSERT INTO "zkagent_proof" VALUES('5f4c0d2ea7584a36066d9c3c9338134f38dfb7d7dfc94d0ef4cdcd32ce1b6dbb','01abef7a742f3c4b13d5db0123a9648a5fe5d0b37b38836c6ebdd096e997f80a','[6,0,0,0]','waiting',100,1,1,NULL,NULL,NULL,NULL,0,0,0,NULL,NULL,1.79532993804965448382e+09,1.79532993805166840549e+09,NULL,NULL);
CREATE TABLE zkagent_result (
	proof_id VARCHAR(64) NOT NULL, 
	document TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	worker VARCHAR(64) NOT NULL, 
	accepted_at DOUBLE NOT NULL, 
	prove_s DOUBLE NOT NULL, 
	verify_s DOUBLE NOT NULL, 
	peak_rss_bytes BIGINT NOT NULL, 
	PRIMARY KEY (proof_id)
);
INSERT INTO "zkagent_result" VALUES('819e8d673d9498f411e07e6335ada97cef3ff8510766749dad98cda74b2628de','{"format": "zkagent-proof-1", "circuit": "01abef7a742f3c4b13d5db0123a9648a5fe5d0b37b38836c6ebdd096e997f80a", "inputs": [1, 0, 0, 0], "outputs": [1, 1], "proof": "0x97bb1fe67f293489fa8f6151f70a5773fade69b3ea2c15154fbe98af8c54599c"}',0,'old-worker',1.795329938068688631e+09,0.1,0.01,1);
INSERT INTO "zkagent_result" VALUES('7f873a18853acac83903a0a463bfed8a669bae171eb14e9b48f5a2470acf91b5','{"format": "zkagent-proof-1", "circuit": "01abef7a742f3c4b13d5db0123a9648a5fe5d0b37b38836c6ebdd096e997f80a", "inputs": [4, 0, 0, 0], "outputs": [4, 16], "proof": "0xf33d93982f7d514c97b8a71f31b5bb66ed8eea90b84aa51b62cbb2a6458cc848"}',0,'old-worker',1.79532993810562467576e+09,0.1,0.01,1);
INSERT INTO "zkagent_result" VALUES('dce047305fe4a928dd0f75b021abc02cc193d5ca8b737d90efec6489c78f0fb9','{"format": "zkagent-proof-1", "circuit": "01abef7a742f3c4b13d5db0123a9648a5fe5d0b37b38836c6ebdd096e997f80a", "inputs": [5, 0, 0, 0], "outputs": [5, 25], "proof": "0xad9fd8fa24f0bba42ac296f20744440d819fd2149e1c2bc4a31c6af8551aa306"}',0,'old-worker',1.79532993811933422084e+09,0.1,0.01,1);
CREATE TABLE zkagent_tally (
	name VARCHAR(64) NOT NULL, 
	label VARCHAR(64) NOT NULL, 
	value DOUBLE NOT NULL, 
	PRIMARY KEY (name, label)
);
INSERT INTO "zkagent_tally" VALUES('stage_sum','waiting',2.00393199920654296875e-01);
INSERT INTO "zkagent_tally" VALUES('stage_bucket','waiting:0.1',3.0);
INSERT INTO "zkagent_tally" VALUES('stage_sum','proving',3.00000000000000044408e-01);
INSERT INTO "zkagent_tally" VALUES('stage_bucket','proving:0.1',3.0);
INSERT INTO "zkagent_tally" VALUES('stage_sum','verifying',0.03);
INSERT INTO "zkagent_tally" VALUES('stage_bucket','verifying:0.1',3.0);
INSERT INTO "zkagent_tally" VALUES('stage_sum','total',2.25973606109619140625e-01);
INSERT INTO "zkagent_tally" VALUES('stage_bucket','total:0.1',3.0);
INSERT INTO "zkagent_tally" VALUES('failures','engine',1.0);
INSERT INTO "zkagent_tally" VALUES('failures','input',1.0);
CREATE TABLE zkagent_worker (
	id VARCHAR(64) NOT NULL, 
	host TEXT NOT NULL, 
	pid INTEGER NOT NULL, 
	slots INTEGER NOT NULL, 
	state VARCHAR(12) NOT NULL, 
	started_at DOUBLE NOT NULL, 
	seen_at DOUBLE NOT NULL, 
	memory_bytes BIGINT NOT NULL, 
	children_bytes BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX zkagent_proof_claim ON zkagent_proof (claim);
CREATE INDEX zkagent_proof_waiting ON zkagent_proof (state, circuit, queued_at);
CREATE INDEX zkagent_proof_line ON zkagent_proof (state, priority, queued_at);
CREATE INDEX zkagent_result_recent ON zkagent_result (accepted_at);
CREATE INDEX zkagent_handle_listing ON zkagent_handle (key_id, created_at);
CREATE INDEX zkagent_handle_deadline ON zkagent_handle (state, deadline);
CREATE INDEX zkagent_handle_proof ON zkagent_handle (proof_id, state);
CREATE INDEX workflow_status_created_at_index ON workflow_status (created_at);
CREATE INDEX idx_workflow_topic ON notifications (destination_uuid, topic);
CREATE INDEX "idx_workflow_status_delayed" ON "workflow_status" ("delay_until_epoch_ms") WHERE status = 'DELAYED';
CREATE INDEX "idx_workflow_status_forked_from" ON "workflow_status" ("forked_from") WHERE "forked_from" IS NOT NULL;
CREATE INDEX "idx_workflow_status_parent_workflow_id" ON "workflow_status" ("parent_workflow_id") WHERE "parent_workflow_id" IS NOT NULL;
CREATE UNIQUE INDEX "uq_workflow_status_dedup_id" ON "workflow_status" ("queue_name", "deduplication_id") WHERE "deduplication_id" IS NOT NULL;
CREATE INDEX "idx_workflow_status_pending" ON "workflow_status" ("created_at") WHERE "status" = 'PENDING';
CREATE INDEX "idx_workflow_status_failed" ON "workflow_status" ("status", "created_at") WHERE "status" IN ('ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED');
CREATE INDEX "idx_workflow_status_rate_limited" ON "workflow_status" ("queue_name", "started_at_epoch_ms") WHERE "rate_limited" = TRUE;
CREATE INDEX "idx_workflow_status_completed_at" ON "workflow_status" ("completed_at") WHERE "completed_at" IS NOT NULL;
CREATE INDEX "idx_workflow_status_started_at" ON "workflow_status" ("started_at_epoch_ms") WHERE "started_at_epoch_ms" IS NOT NULL;
CREATE INDEX "idx_workflow_status_schedule_name" ON "workflow_status" ("schedule_name") WHERE "schedule_name" IS NOT NULL;
CREATE UNIQUE INDEX "uq_application_versions_owner_version"
    ON application_versions ("application_name", "version_name")
    WHERE "application_name" IS NOT NULL;
CREATE UNIQUE INDEX "uq_application_versions_unclaimed_version"
    ON application_versions ("version_name")
    WHERE "application_name" IS NULL;
CREATE INDEX idx_workflow_input_retention
    ON workflow_input (retention_timestamp);
CREATE INDEX idx_workflow_output_retention
    ON workflow_output (retention_timestamp);
CREATE INDEX idx_operation_outputs_retention
    ON operation_outputs (retention_timestamp);
CREATE INDEX "idx_workflow_status_in_flight_v2" ON "workflow_status" ("queue_name", "status", "priority", "created_at", "application_name") WHERE "status" IN ('ENQUEUED', 'PENDING');
CREATE INDEX "idx_workflow_status_partition_dequeue_v3" ON "workflow_status" ("queue_name", "status", "queue_partition_key", "priority", "created_at", "workflow_uuid", "application_name") WHERE "status" IN ('ENQUEUED', 'PENDING') AND "queue_partition_key" IS NOT NULL;
CREATE INDEX "idx_operation_outputs_completed_at_function_name_v2" ON "operation_outputs" ("completed_at_epoch_ms", "function_name", "application_name");
CREATE INDEX "idx_workflow_status_deadline" ON "workflow_status" ("workflow_deadline_epoch_ms") WHERE "status" IN ('ENQUEUED', 'PENDING', 'DELAYED') AND "workflow_deadline_epoch_ms" IS NOT NULL;
CREATE INDEX "idx_application_versions_timestamp" ON "application_versions" ("version_timestamp" DESC);
CREATE INDEX "idx_application_versions_owner_timestamp" ON "application_versions" ("application_name", "version_timestamp" DESC);
COMMIT;

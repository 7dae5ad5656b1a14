package io.hexr.sandbox;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows of docs/architecture.md: http → exec → pool → sandbox → host, the guest protocol beside the last three, identities beside the first two. */
@AnalyzeClasses(packages = "io.hexr.sandbox", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule arrowsPointDown = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("main")
            .definedBy("io.hexr.sandbox")
            .layer("http")
            .definedBy("io.hexr.sandbox.http..")
            .layer("mcp")
            .definedBy("io.hexr.sandbox.mcp..")
            .layer("json")
            .definedBy("io.hexr.sandbox.json..")
            .layer("exec")
            .definedBy("io.hexr.sandbox.exec..")
            .layer("pool")
            .definedBy("io.hexr.sandbox.pool..")
            .layer("sandbox")
            .definedBy("io.hexr.sandbox.sandbox..")
            .layer("guest")
            .definedBy("io.hexr.sandbox.guest..")
            .layer("host")
            .definedBy("io.hexr.sandbox.host..")
            .layer("identity")
            .definedBy("io.hexr.sandbox.identity..")
            .layer("telemetry")
            .definedBy("io.hexr.sandbox.telemetry..")
            .layer("policy")
            .definedBy("io.hexr.sandbox.policy..")
            .layer("config")
            .definedBy("io.hexr.sandbox.config..")
            .whereLayer("main")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("http")
            .mayOnlyBeAccessedByLayers("main")
            .whereLayer("mcp")
            .mayOnlyBeAccessedByLayers("http")
            .whereLayer("json")
            .mayOnlyBeAccessedByLayers("http", "mcp")
            .whereLayer("exec")
            .mayOnlyBeAccessedByLayers("main", "http", "mcp", "json", "telemetry")
            .whereLayer("pool")
            .mayOnlyBeAccessedByLayers("main", "exec", "telemetry")
            .whereLayer("sandbox")
            .mayOnlyBeAccessedByLayers("main", "http", "exec", "pool", "telemetry")
            .whereLayer("guest")
            .mayOnlyBeAccessedByLayers("main", "http", "mcp", "exec", "pool", "sandbox", "policy", "telemetry")
            .whereLayer("host")
            .mayOnlyBeAccessedByLayers("main", "sandbox")
            .whereLayer("identity")
            .mayOnlyBeAccessedByLayers("main", "http", "exec", "config", "policy", "telemetry")
            .whereLayer("telemetry")
            .mayOnlyBeAccessedByLayers("main", "http")
            .whereLayer("policy")
            .mayOnlyBeAccessedByLayers("main", "http", "mcp", "exec", "telemetry")
            .whereLayer("config")
            .mayOnlyBeAccessedByLayers("main", "http", "mcp", "exec", "telemetry");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("io.hexr.sandbox.(*)..").should().beFreeOfCycles();

    /** The Workload API is HTTP/2 too. */
    @ArchTest
    static final ArchRule onlyTheFrontSpeaksHttp = noClasses()
            .that()
            .resideOutsideOfPackages("io.hexr.sandbox.http..", "io.hexr.sandbox.identity.workload..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.eclipse.jetty..");

    /** Requests and results are typed behind the front; JSON elsewhere is only what runsc and the guest image are described in. */
    @ArchTest
    static final ArchRule executionsKnowNoJson = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.hexr.sandbox.config..",
                    "io.hexr.sandbox.exec..",
                    "io.hexr.sandbox.pool..",
                    "io.hexr.sandbox.host..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("tools.jackson..");

    /** So that none of it is loaded as long as no traces are made. */
    @ArchTest
    static final ArchRule onlyTracesKnowOpenTelemetry = noClasses()
            .that()
            .resideOutsideOfPackage("io.hexr.sandbox.telemetry.trace")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.opentelemetry..");

    @ArchTest
    static final ArchRule onlyMainReadsTheEnvironment = noClasses()
            .that()
            .resideOutsideOfPackage("io.hexr.sandbox")
            .should()
            .callMethod(System.class, "getenv")
            .orShould()
            .callMethod(System.class, "getenv", String.class);
}

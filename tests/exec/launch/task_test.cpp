// The task that a launcher's variables describe.
#include "exec/launch/task.h"

#include "scenarios/language/input_error.h"

#include <catch2/catch.hpp>

#include <map>
#include <string>

namespace foretrain::exec {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment_of(const Variables& variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

std::optional<Task> task_of(const Variables& variables) {
  return read_task(environment_of(variables));
}

std::string complaint_about(const Variables& variables) {
  try {
    task_of(variables);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

Variables torchrun() {
  return {{"RANK", "2"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "node7"}, {"MASTER_PORT", "29500"}};
}

// As set by srun of Slurm 22.05.
Variables srun() {
  return {{"SLURM_JOB_ID", "17"},
          {"SLURM_STEP_ID", "0"},
          {"SLURM_PROCID", "3"},
          {"SLURM_STEP_NUM_TASKS", "4"},
          {"SLURM_STEP_NUM_NODES", "3"},
          {"SLURM_STEP_NODELIST", "w[1-3]"},
          {"SLURM_LAUNCH_NODE_IPADDR", "10.1.2.3"},
          {"SLURM_SRUN_COMM_HOST", "10.1.2.3"}};
}

// As set by mpirun of Open MPI 4.1.
Variables mpirun() {
  return {{"OMPI_COMM_WORLD_RANK", "1"},
          {"OMPI_COMM_WORLD_SIZE", "4"},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
          {"PMIX_NAMESPACE", "1162870785"}};
}

TEST_CASE("task: without variables there is none") {
  CHECK(!task_of({}));
  CHECK(!task_of({{"MASTER_ADDR", "node7"}, {"MASTER_PORT", "29500"}}));
}

TEST_CASE("task: variables as torchrun sets them say all") {
  const Task task = task_of(torchrun()).value();
  CHECK(task.rank == 2);
  CHECK(task.size == 4);
  CHECK(task.addresses == std::vector<std::string>{"node7"});
  CHECK(task.port == 29500);
  CHECK(!task.elsewhere);
}

TEST_CASE("task: of Slurm rank 0 is sought on the first node or else where srun was called") {
  const Task task = task_of(srun()).value();
  CHECK(task.started_by == "srun");
  CHECK(task.rank == 3);
  CHECK(task.size == 4);
  CHECK(task.elsewhere);
  CHECK(task.addresses == std::vector<std::string>{"w1", "10.1.2.3", "10.1.2.3"});
  CHECK(task.port >= 20'000);
  CHECK(task.port < 30'000);
}

TEST_CASE("task: a batch script of Slurm is none but what its srun starts is") {
  Variables variables = srun();
  variables.erase("SLURM_STEP_NUM_TASKS");
  variables.erase("SLURM_STEP_ID");
  variables["SLURM_NTASKS"] = "4";
  variables["SLURM_PROCID"] = "0";
  CHECK(!task_of(variables));
}

TEST_CASE("task: a launcher that starts one process gives a shell and no task") {
  Variables variables = srun();
  variables["SLURM_STEP_NUM_TASKS"] = "1";
  variables["SLURM_PROCID"] = "0";
  CHECK(!task_of(variables));
}

TEST_CASE("task: every task of a job finds the same port and the next job another") {
  Variables other_rank = srun();
  other_rank["SLURM_PROCID"] = "0";
  CHECK(task_of(srun())->port == task_of(other_rank)->port);
  Variables next_step = srun();
  next_step["SLURM_STEP_ID"] = "1";
  CHECK(task_of(srun())->port != task_of(next_step)->port);
  // mpirun in an allocation of Slurm: only some of its processes are started by a step.
  Variables by_step = mpirun();
  by_step["SLURM_STEP_ID"] = "0";
  CHECK(task_of(mpirun())->port == task_of(by_step)->port);
}

TEST_CASE("task: of Open MPI on one machine rank 0 is on loopback") {
  const Task task = task_of(mpirun()).value();
  CHECK(task.started_by == "mpirun");
  CHECK(task.rank == 1);
  CHECK(task.size == 4);
  CHECK(!task.elsewhere);
  CHECK(task.addresses == std::vector<std::string>{"127.0.0.1"});
}

TEST_CASE("task: of Open MPI on several machines MASTER_ADDR is needed") {
  Variables variables = mpirun();
  variables["OMPI_COMM_WORLD_LOCAL_SIZE"] = "2";
  CHECK(complaint_about(variables).find("set MASTER_ADDR") != std::string::npos);
  CHECK(complaint_about(variables).find("mpirun -x MASTER_ADDR") != std::string::npos);
  variables["MASTER_ADDR"] = "node7";
  const Task task = task_of(variables).value();
  CHECK(task.addresses == std::vector<std::string>{"node7"});
  CHECK(task.elsewhere);
}

// As set by mpiexec.hydra of MPICH 4.0 and of Intel MPI on one machine.
Variables mpiexec() {
  return {{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "3"}};
}

TEST_CASE("task: of MPICH on one machine all tasks of one mpiexec find the same port") {
  const Task task = task_of(mpiexec()).value();
  CHECK(task.started_by == "mpiexec");
  CHECK(task.rank == 1);
  CHECK(task.size == 3);
  CHECK(task.addresses == std::vector<std::string>{"127.0.0.1"});
  Variables other_rank = mpiexec();
  other_rank["PMI_RANK"] = "0";
  CHECK(task_of(other_rank)->port == task.port);
  Variables elsewhere = mpiexec();
  elsewhere["MPI_LOCALNRANKS"] = "2";
  CHECK(complaint_about(elsewhere).find("set MASTER_ADDR") != std::string::npos);
  elsewhere["MASTER_ADDR"] = "node7";
  CHECK(complaint_about(elsewhere).find("MASTER_PORT is not set") == 0);
  elsewhere["MASTER_PORT"] = "4711";
  CHECK(task_of(elsewhere)->port == 4711);
}

TEST_CASE("task: mpiexec in an allocation of Slurm comes before the srun that it uses") {
  Variables variables = srun();
  variables.merge(mpiexec());
  CHECK(task_of(variables)->started_by == "mpiexec");
  // srun --mpi=pmi2 sets these two as well.
  Variables by_srun = srun();
  by_srun["PMI_RANK"] = "3";
  by_srun["PMI_SIZE"] = "4";
  CHECK(task_of(by_srun)->started_by == "srun");
}

TEST_CASE("task: Flux, PALS and MVAPICH are known by their variables") {
  const auto task = [](const Variables& variables) { return task_of(variables).value(); };
  const Variables flux{{"FLUX_TASK_RANK", "2"},
                       {"FLUX_JOB_SIZE", "4"},
                       {"FLUX_JOB_ID", "ƒ2Abc"},
                       {"FLUX_JOB_NNODES", "1"}};
  CHECK(task(flux).rank == 2);
  CHECK(task(flux).size == 4);
  CHECK(task(flux).addresses == std::vector<std::string>{"127.0.0.1"});
  const Variables pals{{"PALS_RANKID", "1"},
                       {"PMI_RANK", "1"},
                       {"PMI_SIZE", "2"},
                       {"PALS_APID", "0123-ab"},
                       {"MASTER_ADDR", "nid1"}};
  CHECK(task(pals).rank == 1);
  CHECK(task(pals).size == 2);
  const Variables mvapich{{"MV2_COMM_WORLD_RANK", "5"},
                          {"MV2_COMM_WORLD_SIZE", "6"},
                          {"MV2_COMM_WORLD_LOCAL_SIZE", "6"}};
  CHECK(task(mvapich).rank == 5);
  CHECK(task(mvapich).size == 6);
  CHECK(complaint_about({{"PALS_RANKID", "1"}}).find("PALS_RANKID is set, PMI_SIZE is not") == 0);
  CHECK(!task_of({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}, {"MPI_LOCALNRANKS", "1"}}));
}

TEST_CASE("task: variables of a launcher that is not known are an error that names them") {
  const auto told = [](const std::vector<std::string>& variables) -> std::string {
    try {
      check_known(variables);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  CHECK(told({"HOME=/root", "JSM_NAMESPACE_RANK=1", "JSM_NAMESPACE_SIZE=4"})
            .find("JSM_NAMESPACE_RANK=1 beside JSM_NAMESPACE_SIZE=4: this seems to be a task") ==
        0);
  CHECK(told({"X_RANKID=0", "X_NPROCS=2"}).find("X_RANKID=0 beside X_NPROCS=2") == 0);
  CHECK(told({"JSM_NAMESPACE_RANK=0", "JSM_NAMESPACE_SIZE=1"}) == "none");
  CHECK(told({"JSM_NAMESPACE_RANK=1"}) == "none");
  CHECK(told({"PAGE_SIZE=4096", "PAGE_RANK=high"}) == "none");
  // Unknown variables beside known ones are ignored.
  CHECK(told({"A_RANK=1", "A_SIZE=4", "RANK=1", "WORLD_SIZE=4"}) == "none");
  CHECK(told({"OMPI_COMM_WORLD_NODE_RANK=0", "OMPI_UNIVERSE_SIZE=8", "OMPI_COMM_WORLD_RANK=0",
              "OMPI_COMM_WORLD_SIZE=1"}) == "none");
}

TEST_CASE("task: explicit variables win over those of a launcher") {
  Variables variables = srun();
  variables.merge(torchrun());
  const Task task = task_of(variables).value();
  CHECK(task.rank == 2);
  CHECK(task.addresses == std::vector<std::string>{"node7"});
  CHECK(task.port == 29500);
  Variables port_alone = srun();
  port_alone["MASTER_PORT"] = "4711";
  CHECK(task_of(port_alone)->port == 4711);
  CHECK(task_of(port_alone)->rank == 3);
}

TEST_CASE("task: half a description says what is missing") {
  const auto without = [](const char* name) {
    Variables variables = torchrun();
    variables.erase(name);
    return complaint_about(variables);
  };
  CHECK(without("RANK").find("WORLD_SIZE is set, RANK is not: set both") == 0);
  CHECK(without("WORLD_SIZE").find("RANK is set, WORLD_SIZE is not: set both") == 0);
  CHECK(without("MASTER_ADDR").find("set MASTER_ADDR") != std::string::npos);
  CHECK(without("MASTER_PORT").find("MASTER_PORT is not set: set it") == 0);
}

TEST_CASE("task: numbers that are none are named with their variable") {
  const auto with = [](const char* name, const char* value) {
    Variables variables = torchrun();
    variables[name] = value;
    return complaint_about(variables);
  };
  CHECK(with("RANK", "two").find("RANK=two: is no whole number from 0") == 0);
  CHECK(with("RANK", "-1").find("RANK=-1: is no whole number from 0") == 0);
  CHECK(with("RANK", "4").find("RANK is 4, WORLD_SIZE 4: ranks go from 0 to 3") == 0);
  CHECK(with("WORLD_SIZE", "4x").find("WORLD_SIZE=4x: is no whole number from 1") == 0);
  CHECK(with("MASTER_PORT", "70000").find("MASTER_PORT=70000: is no whole number") == 0);
}

TEST_CASE("task: who was started again is told by torchrun or by Slurm") {
  const auto restarted = [](const Variables& variables) {
    return is_restarted(environment_of(variables));
  };
  CHECK(!restarted({}));
  CHECK(!restarted({{"TORCHELASTIC_RESTART_COUNT", "0"}, {"SLURM_RESTART_COUNT", "0"}}));
  CHECK(restarted({{"TORCHELASTIC_RESTART_COUNT", "2"}}));
  CHECK(restarted({{"TORCHELASTIC_RESTART_COUNT", "0"}, {"SLURM_RESTART_COUNT", "1"}}));
  CHECK_THROWS_WITH(restarted({{"SLURM_RESTART_COUNT", "often"}}),
                    Catch::StartsWith("SLURM_RESTART_COUNT=often: is no whole number"));
}

TEST_CASE("task: the first host of a Slurm list is found however it is written") {
  CHECK(first_host("login1") == "login1");
  CHECK(first_host("a1,a2") == "a1");
  CHECK(first_host("node[07-12,20],login1") == "node07");
  CHECK(first_host("node[3]") == "node3");
  CHECK(first_host("node[5,7]-ib") == "node5-ib");
  CHECK(first_host("rack[2-3]node[01-16]") == "rack2node01");
  CHECK(first_host("x5,w[1-3]") == "x5");
}

}  // namespace
}  // namespace foretrain::exec

# cmake -DSOURCE=. -DFOLDER=build/…/version -P version_test.cmake
# Runs tools/WriteVersion.cmake on source archives and on git repositories.
cmake_minimum_required(VERSION 3.25)

# expect(TREE TEXT): the source that is made for the tree returns the text.
function(expect tree text)
  execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE=${tree} -DVERSION=1.2.3 -DOUTPUT=${tree}/Version.cpp
                          -P ${SOURCE}/tools/WriteVersion.cmake COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${tree}/Version.cpp source)
  string(FIND "${source}" "return \"${text}\"" at)
  if(at EQUAL -1)
    message(SEND_ERROR "expected ${text}, found ${source}")
  endif()
endfunction()

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
set(archive ${FOLDER}/archive)
configure_file(${SOURCE}/tools/commit.txt ${archive}/tools/commit.txt COPYONLY)
if(NOT EXISTS ${SOURCE}/.git)
  file(WRITE ${archive}/tools/commit.txt "$Format:%H %cs$\n") # the archive of the tests has it filled in
endif()
expect(${archive} "dplc 1.2.3")
file(WRITE ${archive}/tools/commit.txt "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d 2026-11-30\n")
expect(${archive} "dplc 1.2.3 (commit 1a2b3c4d5e6f, 2026-11-30)")

# A source that would have the same text keeps its time, so that nothing is compiled.
run(touch -d @1000000000 ${archive}/Version.cpp)
expect(${archive} "dplc 1.2.3 (commit 1a2b3c4d5e6f, 2026-11-30)")
file(TIMESTAMP ${archive}/Version.cpp time "%s")
if(NOT time EQUAL 1000000000)
  message(SEND_ERROR "a source with the same text was written again")
endif()

find_program(GIT git)
if(GIT)
  set(clone ${FOLDER}/clone)
  file(WRITE ${clone}/tools/commit.txt "$Format:%H %cs$\n")
  file(COPY ${SOURCE}/.gitattributes DESTINATION ${clone})
  run(${GIT} -C ${clone} init --quiet)
  run(${GIT} -C ${clone} add tools .gitattributes)
  run(${CMAKE_COMMAND} -E env GIT_COMMITTER_DATE=2020-02-03T12:00:00Z
      ${GIT} -C ${clone} -c user.name=a -c user.email=a@example.org commit --quiet --no-gpg-sign -m first)
  execute_process(COMMAND ${GIT} -C ${clone} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  expect(${clone} "dplc 1.2.3 (commit ${commit}, 2020-02-03)")
  run(${GIT} -C ${clone} archive --prefix=unpacked/ -o ${FOLDER}/unpacked.tar HEAD)
  run(${CMAKE_COMMAND} -E chdir ${FOLDER} tar xf unpacked.tar)
  expect(${FOLDER}/unpacked "dplc 1.2.3 (commit ${commit}, 2020-02-03)")
  file(APPEND ${clone}/tools/commit.txt "another line\n")
  expect(${clone} "dplc 1.2.3 (commit ${commit}, 2020-02-03, modified)")
endif()
